package flinkconf_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

const (
	versions   = "kubernetes.operator.default-configuration.flink-version."
	namespaces = "kubernetes.operator.default-configuration.namespace."
)

// layered is the base configuration of the table below.
func layered() flinkconf.Operator {
	return flinkconf.NewOperator(flinkconf.Config{
		"conf0":                    "false",
		versions + "v1_16+.conf4":  "v4",
		versions + "v1_16+.conf5":  "v5",
		versions + "v1_17.conf1":   "v1",
		versions + "v1_17.conf0":   "true",
		versions + "v1_17+.conf5":  "v5-17",
		versions + "v1_18.conf2":   "v2",
		versions + "v1_18+.conf6":  "v6",
		versions + "v9_9+.conf7":   "v7",
		namespaces + "ns1.conf1":   "vn",
		namespaces + "ns1.conf3":   "v3",
		namespaces + "ns1.x.conf8": "v8",
	})
}

func TestDefaultLayers(t *testing.T) {
	for name, tc := range map[string]struct {
		namespace string
		version   v1beta1.FlinkVersion
		want      map[string]string
		reason    string
	}{
		"exact version": {
			"ns1",
			"v1_17",
			map[string]string{
				"conf0": "true",
				"conf1": "v1",
				"conf2": "-",
				"conf3": "v3",
				"conf4": "v4",
				"conf5": "v5-17",
				"conf6": "-",
			},
			"version defaults beat namespace defaults",
		},
		"later version": {
			"ns1",
			"v1_18",
			map[string]string{
				"conf0": "false",
				"conf1": "vn",
				"conf2": "v2",
				"conf3": "v3",
				"conf4": "v4",
				"conf5": "v5-17",
				"conf6": "v6",
			},
			"exact defaults of another version do not count, those with + do, the newest last",
		},
		"other namespace": {
			"control",
			"v1_16",
			map[string]string{"conf0": "false", "conf1": "-", "conf2": "-", "conf3": "-", "conf4": "v4", "conf5": "v5"},
			"namespace defaults are for that namespace",
		},
		"much later": {
			"",
			"v2_0",
			map[string]string{"conf0": "false", "conf4": "v4", "conf5": "v5-17", "conf6": "v6"},
			"+ has no end",
		},
		"no version": {
			"ns1",
			"",
			map[string]string{"conf0": "false", "conf1": "vn", "conf4": "-"},
			"without a version its layers are skipped",
		},
		"unknown": {
			"ns1",
			"v1_18",
			map[string]string{"conf7": "-", "x.conf8": "v8"},
			"defaults of unknown versions never apply; dots in keys are plain",
		},
		"prefixed": {
			"",
			"v1_16",
			map[string]string{versions + "v1_17.conf1": "v1"},
			"the prefixed keys stay; ForCluster drops them",
		},
	} {
		t.Run(name, func(t *testing.T) {
			has(t, layered().Default(tc.namespace, tc.version), tc.want, tc.reason)
		})
	}
}

func TestOperatorIsImmutable(t *testing.T) {
	base := flinkconf.Config{"a": "1"}
	op := flinkconf.NewOperator(base)
	base["a"] = "2"
	op.Base()["a"] = "3"
	op.Default("", "")["a"] = "4"
	has(t, op.Base(), map[string]string{"a": "1"}, "neither the source nor a copy reaches inside")
	has(
		t, flinkconf.Operator{}.Default("ns", "v1_20"), map[string]string{"a": "-"},
		"the zero value is an empty configuration",
	)
}

func TestOperatorNotes(t *testing.T) {
	op := flinkconf.NewOperator(flinkconf.Config{

		versions + "v1_16+.conf1": "",
		versions + "v1_18.conf1":  "",
		versions + "v9_9+.conf1":  "",
		versions + "w2_15-.conf2": "",
		versions + "v1_17":        "",
	})
	notes := op.Notes()
	for i, part := range []string{
		"v1_17\" is ignored: after the prefix",
		"v9_9+.conf1\" is ignored: Flink 9.9",
		"w2_15-.conf2\" is ignored: after",
	} {
		if i >= len(notes) || !strings.Contains(notes[i], part) {
			t.Errorf("notes = %q, want the %d. to say %q", notes, i, part)
		}
	}
	if len(notes) != 3 {
		t.Errorf("%d notes, want one for each default that never applies: %q", len(notes), notes)
	}
}

func TestReconcileInterval(t *testing.T) {
	for text, want := range map[string]time.Duration{"2 min": 2 * time.Minute, "often": 0} {
		operator := flinkconf.NewOperator(flinkconf.Config{"kubernetes.operator.reconcile.interval": text})
		if got := operator.ReconcileInterval(); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestReconcileParallelism(t *testing.T) {
	for text, want := range map[string]int{"8": 8, "-1": -1, "many": 50, "": 50} {
		config := flinkconf.Config{}
		if text != "" {
			config["kubernetes.operator.reconcile.parallelism"] = text
		}
		if got := flinkconf.NewOperator(config).ReconcileParallelism(); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestWatchedNamespaces(t *testing.T) {
	for name, tc := range map[string]struct {
		option, override string
		want             []string
		reason           string
	}{
		"default":        {"", "", nil, "all of them"},
		"option":         {"ns2 , ns1,ns2", "", []string{"ns1", "ns2"}, "a comma list, with or without blanks, sorted"},
		"override":       {"ns1", "ns2,ns3", []string{"ns2", "ns3"}, "the environment wins"},
		"blank override": {"ns1", "  ", []string{"ns1"}, "a blank environment does not"},
		"all among":      {"ns1,JOSDK_ALL_NAMESPACES", "", nil, "all is all"},
	} {
		t.Run(name, func(t *testing.T) {
			c := flinkconf.Config{}
			if tc.option != "" {
				c["kubernetes.operator.watched.namespaces"] = tc.option
			}
			if diff := cmp.Diff(tc.want, flinkconf.NewOperator(c).WatchedNamespaces(tc.override)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// dumbDefault is Default said in the plainest way: go over all entries once a layer.
func dumbDefault(base flinkconf.Config, namespace string, version v1beta1.FlinkVersion) flinkconf.Config {
	out := base.Clone()
	lay := func(prefix string) {
		for k, v := range base {
			if strings.HasPrefix(k, prefix) && len(k) > len(prefix) {
				out[k[len(prefix):]] = v
			}
		}
	}
	lay(namespaces + namespace + ".")
	for _, known := range v1beta1.FlinkVersions() {
		if known.Compare(version) <= 0 {
			lay(versions + string(known) + "+.")
		}
	}
	lay(versions + string(version) + ".")
	return out
}

func TestDefaultTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prefix := rapid.SampledFrom([]string{
			"",
			versions + "v1_16+.",
			versions + "v1_17.",
			versions + "v2_0+.",
			versions + "v2_0.",
			namespaces + "a.",
			namespaces + "b.",
		})
		key := rapid.Custom(func(t *rapid.T) string {
			return prefix.Draw(t, "prefix") + rapid.SampledFrom([]string{"x", "y", "z.z"}).Draw(t, "key")
		})
		base := flinkconf.Config(rapid.MapOf(key, rapid.StringMatching(`[0-9]`)).Draw(t, "base"))
		namespace := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "namespace")
		version := rapid.SampledFrom(v1beta1.FlinkVersions()).Draw(t, "version")
		want := dumbDefault(base, namespace, version)
		if diff := cmp.Diff(want, flinkconf.NewOperator(base).Default(namespace, version)); diff != "" {
			t.Fatalf("-want +got:\n%s", diff)
		}
	})
}

func TestSelectingLabels(t *testing.T) {
	have := map[string]string{"team": "a", "tier": "b", "other": "c"}
	for selector, want := range map[string]map[string]string{
		"": nil, "team=a,tier in (b,c),!frozen": {"team": "a", "tier": "b"}, "a in b": nil,
	} {
		o := flinkconf.NewOperator(flinkconf.Config{"kubernetes.operator.label.selector": selector})
		if diff := cmp.Diff(want, o.Selecting(have)); diff != "" {
			t.Errorf("%q: %s", selector, diff)
		}
	}
}

func TestUnreadableOptions(t *testing.T) {
	const ofVersion = "kubernetes.operator.default-configuration.flink-version.v1_20+.taskmanager.numberOfTaskSlots"
	o := flinkconf.NewOperator(flinkconf.Config{
		"kubernetes.operator.reconcile.interval":                  "soon",
		"kubernetes.operator.flink.client.timeout":                "5 s",
		"kubernetes.operator.retry.max.attempts":                  "many", // nobody reads it
		"kubernetes.operator.deployment.readiness.timeout":        "late",
		"kubernetes.operator.dynamic.namespaces.enabled":          "perhaps",
		"kubernetes.operator.exception.throwable.list.max.count":  "1",
		"kubernetes.operator.default-configuration.namespace.a.b": "x",
		ofVersion: "two",
	})
	got := o.Unreadable()
	if len(got) != 4 || !strings.Contains(got[0], "v1_20+.taskmanager.numberOfTaskSlots") ||
		!strings.Contains(got[1], "late") || !strings.Contains(got[2], "dynamic.namespaces") ||
		!strings.Contains(got[3], "soon") {
		t.Errorf("got %q", got)
	}
}
