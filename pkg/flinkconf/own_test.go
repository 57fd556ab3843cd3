package flinkconf_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// spellings are all ways in which a resource can write an option: each key, and one below a key that is a map.
func spellings(o conf.Option) []string {
	names := append([]string{o.Key}, o.Fallbacks...)
	for _, name := range names {
		if o.Kind == conf.KindMap {
			names = append(names, name+".below")
		}
	}
	return names
}

// A resource has no say in what an administrator decides: every composition leaves its keys of that kind out, and those
// of the same name in the defaults stay.
func TestAResourceHasNoSayInTheInstallation(t *testing.T) {
	tried := 0
	for _, o := range key.All() {
		ofInstallation := o.Scope == conf.ScopeOperator || o.Scope == conf.ScopeNamespace
		for _, name := range spellings(o) {
			if got := key.InstallationKey(name); got != ofInstallation {
				t.Errorf("InstallationKey(%s) = %t, its scope is %q", name, got, o.Scope)
			}
			if !ofInstallation {
				continue
			}
			tried++
			theirs := flinkconf.Config{name: "theirs", "pipeline.name": "a"}
			operator := flinkconf.NewOperator(flinkconf.Config{name: "ours"})
			spec := deployable(t, theirs)
			in := flinkconf.DeployInput{
				Operator: operator, Namespace: "default", Name: "demo", UID: "u", Spec: &spec,
				Start: flinkconf.Start{JobID: "a"},
			}
			deployed, err := flinkconf.Deploy(in)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			observed, err := flinkconf.Observe(flinkconf.ObserveInput{
				Operator: operator, Namespace: "default", Name: "demo", Deployed: &spec, Current: &spec,
			})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			inSession, err := flinkconf.SessionJob(operator.Default("default", "v1_20"), "job",
				&v1beta1.FlinkSessionJobSpec{FlinkConfiguration: spec.FlinkConfiguration})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for composed, c := range map[string]flinkconf.Config{
				"deployed": deployed.Effective, "observed": observed, "of a session job": inSession,
			} {
				if c[name] != "ours" || c["pipeline.name"] != "a" {
					t.Errorf("%s: %s is %q, pipeline.name %q", composed, name, c[name], c["pipeline.name"])
				}
			}
		}
	}
	if tried < 60 {
		t.Errorf("only %d keys were tried", tried)
	}
}

func deployable(t *testing.T, c flinkconf.Config) v1beta1.FlinkDeploymentSpec {
	t.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	spec := v1beta1.FlinkDeploymentSpec{FlinkVersion: "v1_20", ServiceAccount: "flink", FlinkConfiguration: text}
	spec.Job = &v1beta1.JobSpec{JarURI: "local:///a.jar", Parallelism: 1}
	return spec
}

func TestOwnReadsNestedKeys(t *testing.T) {
	for text, want := range map[string]flinkconf.Config{
		`{"kubernetes":{"operator":{"ingress":{"manage":false},"job":{"restart.failed":true}}}}`: {
			"kubernetes.operator.job.restart.failed": "true",
		},
		`{"kubernetes.operator":{"default-configuration":{"namespace":{"default":{"a":1}}}},"b":2}`: {"b": "2"},
		`{"kubernetes.operator.exception.label":{"mapper":{"x":"y"}}}`:                              {},
	} {
		got, err := flinkconf.Own(v1beta1.FlinkConfiguration(text))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", text, err, diff)
		}
	}
}
