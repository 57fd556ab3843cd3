package render

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	"pgregory.net/rapid"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

func TestNames(t *testing.T) {
	want := map[string]string{
		"Deployment": "demo", "internal Service": "demo", "REST Service": "demo-rest", "configuration": "flink-config-demo",
		"pod template": "pod-template-demo", "Hadoop": "hadoop-config-demo", "keytab": "kerberos-keytab-demo",
		"krb5.conf": "kerberos-krb5conf-demo", "Ingress": "demo", "leaders": "demo-cluster-config-map",
		"checkpoints": "demo-0a-config-map",
	}
	got := map[string]string{
		"Deployment": DeploymentName("demo"), "internal Service": InternalServiceName("demo"),
		"REST Service":  RestServiceName("demo"),
		"configuration": ConfigMapName("demo"), "pod template": PodTemplateName("demo"), "Hadoop": HadoopConfigName("demo"),
		"keytab": KeytabName("demo"), "krb5.conf": Krb5ConfName("demo"), "Ingress": IngressName("demo"),
		"leaders": ClusterHighAvailabilityName("demo"), "checkpoints": JobHighAvailabilityName("demo", "0a"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names are part of the interface: people and scripts look for them (-want +got):\n%s", diff)
	}
}

func TestNamesAreValidAndBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`[a-z]([-a-z0-9]{0,43}[a-z0-9])?`).Draw(t, "id")
		if err := checkClusterID(id); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{
			DeploymentName(id), InternalServiceName(id), RestServiceName(id), ConfigMapName(id), PodTemplateName(id),
			HadoopConfigName(id), KeytabName(id), Krb5ConfName(id), IngressName(id),
		} {
			if problems := validation.IsDNS1035Label(name); len(problems) > 0 {
				t.Fatalf("%q: %v", name, problems)
			}
		}
		object := rapid.StringMatching(`[a-z0-9]([-a-z0-9.]{0,250}[a-z0-9])?`).Draw(t, "object")
		if problems := validation.IsDNS1123Label(volumeName(object, "-volume")); len(problems) > 0 {
			t.Fatalf("volume of %q: %v", object, problems)
		}
	})
}

func TestVolumeName(t *testing.T) {
	long := strings.Repeat("a", 60)
	tests := map[string]struct{ object, want, reason string }{
		"short":      {"my-secret", "my-secret-volume", "the name that Flink gives, so that a template may refer to it"},
		"just fits":  {strings.Repeat("a", 56), strings.Repeat("a", 56) + "-volume", "63 characters are allowed"},
		"with a dot": {"a.b", "a-b-b0d4a5e8-volume", "Kubernetes refuses a dot in the name of a volume"},
		"too long":   {long, long[:47] + "-2c1a1b51-volume", "cut and told apart by a hash"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := volumeName(test.object, "-volume")
			if len(got) > maxLabel || len(got) != len(test.want) || got[:min(len(got), 3)] != test.want[:3] ||
				name == "just fits" && got != test.want {
				t.Errorf("%s: got %q, want the like of %q", test.reason, got, test.want)
			}
		})
	}
	if volumeName("a.b", "-volume") == volumeName("a-b", "-volume") {
		t.Error("two Secrets share a volume name")
	}
}

func TestCheckClusterID(t *testing.T) {
	tests := map[string]struct {
		id     string
		fails  bool
		reason string
	}{
		"one letter":   {"a", false, "the shortest name"},
		"45":           {strings.Repeat("a", 45), false, "Flink's own limit"},
		"46":           {strings.Repeat("a", 46), true, "Flink's client refuses it"},
		"empty":        {"", true, "there has to be one"},
		"digit first":  {"1a", true, "a Service's name starts with a letter"},
		"dash last":    {"a-", true, "no label ends so"},
		"upper case":   {"A", true, "Kubernetes names are lower case"},
		"dot":          {"a.b", true, "a Service's name has no dot"},
		"line feed":    {"a\n", true, "nothing may follow the name"},
		"inner dashes": {"a--b", false, "allowed by Kubernetes"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if err := checkClusterID(test.id); (err != nil) != test.fails {
				t.Errorf("%s: got %v", test.reason, err)
			}
		})
	}
}

func TestHoldsCheckpoints(t *testing.T) {
	tests := map[string]bool{
		"demo-1b-config-map":        true,
		"demo-cluster-config-map":   false,
		"demo-1b-jobmanager-leader": true,
		"demo-dispatcher-leader":    false,
		"flink-config-demo":         false,
		"autoscaler-demo":           false,
	}
	for name, want := range tests {
		if got := HoldsCheckpoints(name); got != want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestJobOfHighAvailability(t *testing.T) {
	const job = "0123456789abcdef0123456789abcdef"
	tests := map[string]string{
		"demo-" + job + "-config-map":        job,
		"demo-" + job + "-jobmanager-leader": job,
		"a-b-" + job + "-config-map":         job,
		"demo-" + job[1:] + "-config-map":    "",
		"demo-" + job + "0-config-map":       "",
		"demo-cluster-config-map":            "",
		"demo-" + job:                        "",
		"demo-1b-config-map":                 "",
	}
	for name, want := range tests {
		if got := JobOfHighAvailability(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestSelectors(t *testing.T) {
	ha := map[string]string{"app": "demo", "type": "flink-native-kubernetes", "configmap-type": "high-availability"}
	ha2 := map[string]string{"app": "demo", "type": "flink-native-kubernetes"} // of a standalone cluster, too
	jobManager := componentLabels("demo", v1beta1.ModeNative, ComponentJobManager)
	taskManager := componentLabels("demo", v1beta1.ModeStandalone, ComponentTaskManager)
	autoscaler := map[string]string{"app": "demo", "type": "flink-native-kubernetes", "component": "autoscaler"}
	tests := map[string]struct {
		selector string
		labels   map[string]string
		want     bool
		reason   string
	}{
		"jobmanager pod": {
			PodSelector("demo", ComponentJobManager), jobManager, true, "its own labels",
		},
		"standalone jobmanager": {
			PodSelector("demo", ComponentJobManager),
			componentLabels("demo", v1beta1.ModeStandalone, ComponentJobManager), true,
			"the type does not matter for pods",
		},
		"taskmanager pod": {TaskManagerSelector("demo"), taskManager, true, "its own labels"},
		"the other component": {
			TaskManagerSelector("demo"), jobManager, false, "a JobManager is no TaskManager",
		},
		"either": {
			PodSelector("demo", ComponentJobManager, ComponentTaskManager), taskManager, true,
			"one list brings both",
		},
		"another cluster": {
			PodSelector("demo", ComponentJobManager),
			componentLabels("demo2", v1beta1.ModeNative, ComponentJobManager), false, "the id is compared whole",
		},
		"ha of Flink 1": {HighAvailabilitySelector("demo"), ha, true, "with the label that Flink 2 dropped"},
		"ha of Flink 2": {HighAvailabilitySelector("demo"), ha2, true, "without it"},
		"configuration of a standalone cluster": {
			HighAvailabilitySelector("demo"), ClusterLabels("demo", v1beta1.ModeStandalone), false, "its type tells it apart",
		},
		"history of autoscaler": {
			HighAvailabilitySelector("demo"), autoscaler, false, "deleting it with the HA data would lose it",
		},
		"ha of another cluster": {
			HighAvailabilitySelector("demo"), ClusterLabels("other", v1beta1.ModeNative), false, "never another cluster's data",
		},
		"text of the scale field": {
			"component=taskmanager,app=demo", taskManager,
			TaskManagerSelector("demo") == "component=taskmanager,app=demo", "status has this very text",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			selector, err := labels.Parse(test.selector)
			if err != nil {
				t.Fatal(err)
			}
			if got := selector.Matches(labels.Set(test.labels)); got != test.want {
				t.Errorf("%s: %s matches %v: %v", test.reason, test.selector, test.labels, got)
			}
		})
	}
}
