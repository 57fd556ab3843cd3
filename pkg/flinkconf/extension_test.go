package flinkconf_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

func TestExtensions(t *testing.T) {
	const v = "kubernetes.operator.plugins.validators.rules."
	e, wrong := flinkconf.NewOperator(flinkconf.Config{
		v + "url": "http://rules.policies.svc.cluster.local", v + "kinds": "FlinkSessionJob, FlinkDeployment",
		v + "namespaces": "a,b", v + "timeout": "3 s", v + "failure-policy": "ignore", v + "revision": "2",
		"kubernetes.operator.plugins.mutators.defaults.url": "https://example.org/mutate",
		"kubernetes.operator.plugins.listeners.x.class":     "a.B",
	}).Extensions()
	want := flinkconf.Extensions{
		Validators: []flinkconf.Extension{{
			Name: "rules", URL: "http://rules.policies.svc.cluster.local", Kinds: []string{"FlinkDeployment", "FlinkSessionJob"},
			Namespaces: []string{"a", "b"}, Timeout: 3 * time.Second, Ignore: true, Revision: "2",
		}},
		Mutators: []flinkconf.Extension{{
			Name: "defaults", URL: "https://example.org/mutate", Timeout: 5 * time.Second, Kinds: []string{
				"FlinkDeployment", "FlinkSessionJob", "FlinkStateSnapshot", "FlinkBlueGreenDeployment",
			},
		}},
	}
	if diff := cmp.Diff(want, e); diff != "" || len(wrong) > 0 {
		t.Errorf("%s %q", diff, wrong)
	}
	for _, row := range []struct {
		kind, namespace string
		asked           int
	}{
		{"FlinkDeployment", "a", 1}, {"FlinkDeployment", "c", 0}, {"FlinkStateSnapshot", "a", 0},
	} {
		if got := flinkconf.For(e.Validators, row.kind, row.namespace); len(got) != row.asked {
			t.Errorf("%s in %s: %d are asked, want %d", row.kind, row.namespace, len(got), row.asked)
		}
	}
}

func TestExtensionsThatCannotBeRead(t *testing.T) {
	for parameter, text := range map[string]string{
		"url": "rules.svc", "kinds": "Pod", "timeout": "11 s", "failure-policy": "perhaps", "classname": "a.B",
	} {
		config := flinkconf.Config{"kubernetes.operator.plugins.validators.rules.url": "http://rules"}
		config["kubernetes.operator.plugins.validators.rules."+parameter] = text
		_, wrong := flinkconf.NewOperator(config).Extensions()
		if len(wrong) != 1 || !strings.Contains(wrong[0], "validators.rules."+parameter) {
			t.Errorf("%s: %q", parameter, wrong)
		}
	}
	_, wrong := flinkconf.NewOperator(flinkconf.Config{
		"kubernetes.operator.plugins.mutators.a.timeout": "1 s",
	}).Extensions()
	if len(wrong) != 1 || !strings.Contains(wrong[0], "mutators.a.url is not set") {
		t.Errorf("without a url: %q", wrong)
	}
}

func TestAVerdictIsOnOneSpecByOneConfiguration(t *testing.T) {
	one := flinkconf.Extension{Name: "a", URL: "http://a"}
	two := one
	two.Revision = "2"
	of := func(e flinkconf.Extension, spec string) string {
		text, err := flinkconf.VerdictOf([]flinkconf.Extension{e}, spec)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	first, again := of(one, "x"), of(one, "x")
	if first != again || of(one, "x") == of(one, "y") || of(one, "x") == of(two, "x") {
		t.Error("another spec and another revision are other questions, and nothing else is")
	}
	if _, err := flinkconf.VerdictOf(nil, func() {}); err == nil {
		t.Error("that is no spec")
	}
}
