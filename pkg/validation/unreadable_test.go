package validation_test

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	optionconf "github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

// rubbish is no value of any kind: its quote is not closed.
const rubbish = "'a week"

// typed are the spellings of all options that have a kind other than text.
func typed() map[string]optionconf.Option {
	all := map[string]optionconf.Option{}
	for _, o := range key.All() {
		if o.Kind == optionconf.KindString {
			continue
		}
		for _, name := range append([]string{o.Key}, o.Fallbacks...) {
			if known, ok := all[name]; !ok || known.Key != name {
				all[name] = o
			}
		}
	}
	return all
}

// layers are the ways in which an option can be set, and what is told of it: a refusal, or that it has no effect.
var layers = map[string]func(t *testing.T, name, value string) string{
	"FlinkDeployment": func(t *testing.T, name, value string) string {
		in := deployment(t)
		in.Spec.FlinkConfiguration = add(in.Spec.FlinkConfiguration, name, value)
		return validation.Message(validation.Deployment(in))
	},
	"FlinkDeployment, over a default of the same option": func(t *testing.T, name, value string) string {
		in := deployment(t)
		if o := typed()[name]; o.Key != name && o.HasDefault {
			in.Operator = operator(o.Key, o.Default)
		}
		in.Spec.FlinkConfiguration = add(in.Spec.FlinkConfiguration, name, value)
		return validation.Message(validation.Deployment(in))
	},
	"FlinkSessionJob": func(t *testing.T, name, value string) string {
		in := sessionJob(t)
		in.Cluster = sessionCluster(t)
		in.Spec.FlinkConfiguration = conf(name, value)
		return validation.Message(validation.SessionJob(in))
	},
	"FlinkSessionJob, its cluster not known": func(t *testing.T, name, value string) string {
		in := sessionJob(t)
		in.Spec.FlinkConfiguration = conf(name, value, "high-availability.type", "kubernetes")
		return validation.Message(validation.SessionJob(in))
	},
	"its session cluster": func(t *testing.T, name, value string) string {
		in := sessionJob(t)
		in.Cluster = sessionCluster(t)
		in.Cluster.Spec.FlinkConfiguration = add(in.Cluster.Spec.FlinkConfiguration, name, value)
		own := deployment(t)
		own.Spec = in.Cluster.Spec
		return validation.Message(validation.SessionJob(in)) + validation.Message(validation.Deployment(own))
	},
	"the template of a FlinkBlueGreenDeployment": func(t *testing.T, name, value string) string {
		in := pair(t, nil)
		in.Spec.Template.Spec.FlinkConfiguration = add(in.Spec.Template.Spec.FlinkConfiguration, name, value)
		return validation.Message(validation.BlueGreen(in))
	},
	"the configuration of a FlinkBlueGreenDeployment": func(t *testing.T, name, value string) string {
		return validation.Message(validation.BlueGreen(pair(t, map[string]string{name: value})))
	},
	"settings": func(_ *testing.T, name, value string) string {
		return settings(flinkconf.Config{name: value, "high-availability.type": "kubernetes"})
	},
	"settings of a namespace": func(_ *testing.T, name, value string) string {
		const prefix = "kubernetes.operator.default-configuration.namespace.team-a."
		return settings(flinkconf.Config{prefix + name: value, prefix + "high-availability.type": "kubernetes"})
	},
	"settings of a Flink version": func(_ *testing.T, name, value string) string {
		const prefix = "kubernetes.operator.default-configuration.flink-version.v1_18+."
		return settings(flinkconf.Config{prefix + name: value, prefix + "high-availability.type": "kubernetes"})
	},
}

func settings(c flinkconf.Config) string {
	return strings.Join(append(flinkconf.NewOperator(c).Unreadable(), flinkconf.WithoutEffect(c)...), "; ")
}

// No value of any option that cannot be read is silent, in whichever layer it stands: it is refused with the key as it
// is written, or, where nothing reads it, told to have no effect.
func TestNoUnreadableValueIsSilent(t *testing.T) {
	all := typed()
	if len(all) < 200 {
		t.Fatalf("only %d keys are tried", len(all))
	}
	silent := 0
	for name, o := range all {
		for layer, told := range layers {
			says := told(t, name, rubbish)
			if !strings.Contains(says, name) {
				silent++
				t.Errorf("%s (%s) in %s: %q", name, o.Kind, layer, says)
			}
			if strings.Contains(says, rubbish) && optionconf.Sensitive(name) {
				t.Errorf("%s in %s shows a value that may be secret: %s", name, layer, says)
			}
		}
	}
	t.Logf("%d keys in %d layers, %d silent", len(all), len(layers), silent)
}

// What the Java operator and Flink read stays accepted.
func TestWhatFlinkReadsIsAccepted(t *testing.T) {
	for name, values := range map[string][]string{
		"kubernetes.operator.job.savepoint-on-deletion":      {"true", "TRUE", "False"},
		"kubernetes.operator.savepoint.history.max.age":      {"1 d", "90s", "5 min", "5 minutes", "3600000", " 7 days "},
		"taskmanager.memory.managed.size":                    {"64m", "64 mb", "67108864", "64M"},
		"kubernetes.operator.periodic.savepoint.interval":    {"", "0", "10 min", "0 0 * * * ?", "0 */5 * * * ? 2027"},
		"execution.checkpointing.num-retained":               {"3", "+3"},
		"high-availability.jobmanager.port":                  {"0", "6123"},
		"blob.server.port":                                   {"6124"},
		"kubernetes.operator.savepoint.format.type":          {"native", "CANONICAL"},
		"kubernetes.jobmanager.labels":                       {"a:b,c:d", ""},
		"pipeline.jars":                                      {"local:///a.jar;local:///b.jar"},
		"jobstore.expiration-time":                           {"3000000000"},
		"job.autoscaler.target.utilization":                  {"0.7", ".7", "1e-1"},
		"external-resource.gpu.amount":                       {"1"},
		"kubernetes.taskmanager.tolerations":                 {"key:a,operator:Exists;key:b,operator:Exists"},
		"taskmanager.heap.mb":                                {"1024"},
		"kubernetes.operator.default-configuration.any.text": {"'"},
	} {
		for _, value := range values {
			in := deployment(t)
			in.Spec.FlinkConfiguration = add(in.Spec.FlinkConfiguration, name, value)
			if found := validation.Problems(validation.Deployment(in)); found != nil {
				t.Errorf("%s: %q: %s", name, value, validation.Message(found))
			}
		}
	}
}

// The message has the key, the value and the accepted forms.
func TestAnUnreadableValueIsTold(t *testing.T) {
	for name, row := range map[string]struct{ value, says string }{
		"kubernetes.operator.job.savepoint-on-deletion": {"yes",
			`"yes" is no bool ("yes" is not a boolean: expected true or false), correct it in spec.flinkConfiguration`},
		"kubernetes.operator.savepoint.cleanup.enabled":   {"off", "expected true or false"},
		"kubernetes.operator.savepoint.history.max.age":   {"a week", "with one of the units d, h, min, s"},
		"kubernetes.operator.periodic.savepoint.interval": {"*/5 * * * *", "has six or seven fields"},
		"rest.bind-port": {"8081-8085", "expected one whole number"},
	} {
		in := deployment(t)
		in.Spec.FlinkConfiguration = add(in.Spec.FlinkConfiguration, name, row.value)
		found := validation.Message(validation.Deployment(in))
		if !strings.Contains(found, `["`+name+`"]`) || !strings.Contains(found, row.says) {
			t.Errorf("%s: %q does not say %q", name, found, row.says)
		}
	}
	in := deployment(t)
	in.Spec.FlinkConfiguration = add(in.Spec.FlinkConfiguration,
		"kubernetes.operator.user.artifacts.http.header", "Authorization:'Bearer hunter2")
	if found := validation.Message(validation.Deployment(in)); !strings.Contains(found, "http.header") ||
		strings.Contains(found, "hunter2") {
		t.Errorf("a secret is told, or nothing is: %s", found)
	}
}
