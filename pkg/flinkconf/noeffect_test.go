package flinkconf_test

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

func TestWithoutEffect(t *testing.T) {
	for reason, row := range map[string]struct {
		key, value string
		told       bool
	}{
		"an operator's option":       {"kubernetes.operator.leader-election.enabled", "true", true},
		"an older spelling":          {"kubernetes.operator.reconciler.flink.cancel.job.timeout", "5 s", true},
		"off is what happens anyway": {"kubernetes.operator.leader-election.enabled", "False", false},
		"the autoscaler's switch":    {"job.autoscaler.enabled", "true", false},
		"its plug-ins":               {"job.autoscaler.scaling.custom-executors", "a", false},
		"a default of a namespace": {
			"kubernetes.operator.default-configuration.namespace.team.a.kubernetes.operator.retry.max.attempts", "3", true,
		},
		"a default of a Flink version": {
			"kubernetes.operator.default-configuration.flink-version.v1_20+.kubernetes.operator.retry.max.attempts", "3", true,
		},
		"a listener":                       {"kubernetes.operator.plugins.listeners.audit.class", "a.B", true},
		"the operator's reporter":          {"kubernetes.operator.metrics.reporter.prom.port", "1", true},
		"a pattern that is none":           {"kubernetes.operator.exception.label.mapper", "a(:Broken,b:Fine", true},
		"an option that is read":           {"kubernetes.operator.job.restart.failed", "true", false},
		"Flink's own":                      {"metrics.reporter.prom.port", "1", false},
		"a key that only ends like one":    {"my.job.autoscaler.enabled", "true", false},
		"nobody knows it, so nobody tells": {"kubernetes.operator.no.such.option", "1", false},
	} {
		got := flinkconf.WithoutEffect(flinkconf.Config{row.key: row.value})
		if (len(got) == 1) != row.told || (row.told && !strings.HasPrefix(got[0], "option "+row.key+" has no effect")) {
			t.Errorf("%s: %q", reason, got)
		}
	}
	for reason, row := range map[string]struct {
		key  string
		told bool
	}{
		"of the installation":                     {"kubernetes.operator.reconcile.interval", true},
		"how many are worked on at a time":        {"kubernetes.operator.reconcile.parallelism", true},
		"its older spelling":                      {"kubernetes.operator.reconciler.reschedule.interval", true},
		"what may widen the reach of jars":        {"kubernetes.operator.user.artifacts.allowed-hosts", true},
		"the selected resources":                  {"kubernetes.operator.label.selector", true},
		"the watched namespaces":                  {"kubernetes.operator.watched.namespaces", true},
		"a default of a namespace":                {"kubernetes.operator.default-configuration.namespace.a.b", true},
		"headers are the resource's, too":         {"kubernetes.operator.user.artifacts.http.header", false},
		"what no installation has an effect with": {"kubernetes.operator.retry.max.attempts", true},
		"an option of a resource":                 {"kubernetes.operator.job.restart.failed", false},
	} {
		got := flinkconf.WithoutEffectInResource(flinkconf.Config{row.key: "1"})
		if (len(got) == 1) != row.told || (row.told && !strings.HasPrefix(got[0], "option "+row.key+" has no effect")) {
			t.Errorf("%s: %q", reason, got)
		}
		if inInstallation := flinkconf.WithoutEffect(flinkconf.Config{row.key: "1"}); strings.Contains(
			strings.Join(inInstallation, ""), "only the installation",
		) {
			t.Errorf("%s: the installation is told %q", reason, inInstallation)
		}
	}
	labels := flinkconf.WithoutEffect(
		flinkconf.Config{"kubernetes.operator.exception.label.mapper": "a(:Broken,b:Fine"},
	)
	if len(labels) != 1 || !strings.Contains(labels[0], `"Broken"`) {
		t.Errorf("a label whose pattern is none is named: %q", labels)
	}
	several := flinkconf.WithoutEffect(flinkconf.Config{
		"kubernetes.operator.retry.max.attempts": "1", "kubernetes.operator.config.cache.size": "1",
	})
	if len(several) != 2 || !strings.Contains(several[0], "config.cache.size") {
		t.Errorf("each is told, in order: %q", several)
	}
}
