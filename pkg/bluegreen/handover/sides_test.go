package handover_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/bluegreen/handover"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

const application = `
image: flink:2.2
flinkVersion: v2_2
serviceAccount: flink
flinkConfiguration:
  taskmanager.numberOfTaskSlots: "2"
  high-availability: {type: kubernetes, storageDir: s3://ha}
  execution.checkpointing.savepoint-dir: s3://s
  execution.checkpointing.dir: s3://c
jobManager: {resource: {memory: 1024m, cpu: 0.5}}
taskManager: {resource: {memory: 1024m, cpu: 0.5}}
job:
  jarURI: local:///opt/flink/usrlib/x.jar
  entryClass: org.example.Main
  args: [--rate, "10"]
  parallelism: 3
  upgradeMode: savepoint
  initialSavepointPath: s3://s/first
`

func parse[S any](t *testing.T, text string) *S {
	t.Helper()
	spec := new(S)
	if err := yaml.UnmarshalStrict([]byte(text), spec); err != nil {
		t.Fatal(err)
	}
	return spec
}

// flat are the options of a configuration.
func flat(t *testing.T, c v1beta1.FlinkConfiguration) map[string]string {
	t.Helper()
	own, err := flinkconf.Own(c)
	if err != nil {
		t.Fatal(err)
	}
	return own
}

func TestSplit(t *testing.T) {
	replace := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(application) }
	const jar, entry = "jarURI: local:///opt/flink/usrlib/x.jar", "  entryClass: org.example.Main\n"
	for name, row := range map[string]struct {
		template string
		// cluster and job are the options that are added.
		cluster, job map[string]string
		replicas     int32
		jarURI       string
	}{
		"T12.14 native, from 1.19": {
			application, map[string]string{"slotmanager.number-of-slots.min": "4"},
			map[string]string{"pipeline.classpaths": "file:///opt/flink/usrlib/x.jar"}, 0, "",
		},
		"T12.14 more TaskManagers than the job needs": {
			replace("taskManager: {", "taskManager: {replicas: 3, "),
			map[string]string{"slotmanager.number-of-slots.min": "6"},
			map[string]string{"pipeline.classpaths": "file:///opt/flink/usrlib/x.jar"}, 3, "",
		},
		"a user wants older answers": {
			replace("flinkConfiguration:\n", "flinkConfiguration:\n  web.refresh-interval: \"5000\"\n"),
			map[string]string{"slotmanager.number-of-slots.min": "4"},
			map[string]string{"pipeline.classpaths": "file:///opt/flink/usrlib/x.jar"}, 0, "",
		},
		"a user wants more slots": {
			replace("flinkConfiguration:\n", "flinkConfiguration:\n  slotmanager.number-of-slots.min: \"8\"\n"),
			map[string]string{"slotmanager.number-of-slots.min": "8"},
			map[string]string{"pipeline.classpaths": "file:///opt/flink/usrlib/x.jar"}, 0, "",
		},
		"T12.15 native, 1.18": {
			replace("v2_2", "v1_18"), map[string]string{"resourcemanager.taskmanager-timeout": "15 min"},
			map[string]string{"pipeline.classpaths": "file:///opt/flink/usrlib/x.jar"}, 0, "",
		},
		"T12.15 standalone": {
			replace("flinkVersion:", "mode: standalone\nflinkVersion:"), nil,
			map[string]string{"pipeline.classpaths": "file:///opt/flink/usrlib/x.jar"}, 2, "",
		},
		"further jars": {
			replace("flinkConfiguration:\n", "flinkConfiguration:\n  pipeline.classpaths: file:///a.jar;file:///b.jar\n"),
			map[string]string{"slotmanager.number-of-slots.min": "4"},
			map[string]string{"pipeline.classpaths": "file:///opt/flink/usrlib/x.jar;file:///a.jar;file:///b.jar"}, 0, "",
		},
		"a jar from a server": {
			replace(jar, "jarURI: https://example.com/x.jar", entry, ""),
			map[string]string{"slotmanager.number-of-slots.min": "4"}, nil, 0, "https://example.com/x.jar",
		},
		"code of the image": {
			replace("  "+jar+"\n", ""), map[string]string{"slotmanager.number-of-slots.min": "4"}, nil, 0, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			template := parse[v1beta1.FlinkDeploymentSpec](t, row.template)
			before := template.DeepCopy()
			parts, err := handover.Split("demo-green", template, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, template); diff != "" {
				t.Errorf("the template was changed:\n%s", diff)
			}
			want := flat(t, template.FlinkConfiguration)
			if want["web.refresh-interval"] == "" {
				want["web.refresh-interval"] = "250"
			}
			for option, value := range row.cluster {
				want[option] = value
			}
			if diff := cmp.Diff(want, flat(t, parts.Cluster.FlinkConfiguration)); diff != "" {
				t.Errorf("options of the cluster (-want +got):\n%s", diff)
			}
			if row.job == nil {
				row.job = map[string]string{}
			}
			if diff := cmp.Diff(row.job, flat(t, parts.Job.FlinkConfiguration)); diff != "" {
				t.Errorf("options of the job (-want +got):\n%s", diff)
			}
			job := template.Job.DeepCopy()
			job.JarURI, job.State, job.InitialSavepointPath = row.jarURI, v1beta1.JobStateSuspended, ""
			if diff := cmp.Diff(job, parts.Job.Job); diff != "" {
				t.Errorf("the job (-want +got):\n%s", diff)
			}
			replicas := int32(0)
			if r := parts.Cluster.TaskManager.Replicas; r != nil {
				replicas = *r
			}
			if replicas != row.replicas {
				t.Errorf("%d TaskManagers in the spec, want %d", replicas, row.replicas)
			}
			valid(t, parts)
		})
	}
}

// valid holds both parts to what admission accepts.
func valid(t *testing.T, parts handover.Parts) {
	t.Helper()
	cluster := &v1beta1.FlinkDeployment{Spec: parts.Cluster}
	cluster.Namespace, cluster.Name = "flink", "demo-green"
	if !cluster.Spec.IsSession() {
		t.Error("the cluster is an application")
	}
	if err := validation.Deployment(validation.DeploymentInput{
		Namespace: cluster.Namespace, Name: cluster.Name, Spec: cluster.Spec, New: true,
	}); err != nil {
		t.Errorf("the cluster would be refused: %v", err)
	}
	if err := validation.SessionJob(validation.SessionJobInput{
		Namespace: cluster.Namespace, Spec: parts.Job, Cluster: cluster,
	}); err != nil {
		t.Errorf("the job would be refused: %v", err)
	}
}

func TestWhatCannotBeSplit(t *testing.T) {
	for name, row := range map[string]struct{ template, says string }{
		"T12.13 a jar in the image, without its class": {
			strings.Replace(application, "  entryClass: org.example.Main\n", "", 1), "job.entryClass is missing",
		},
		"T12.13 a jar that Flink fetches": {
			strings.Replace(application, "local:///", "s3://", 1), `job.jarURI has scheme "s3"`,
		},
		"a jar that cannot be read": {
			strings.Replace(application, "local:///", "local://%", 1), "job.jarURI cannot be read",
		},
		"no job": {application[:strings.Index(application, "job:\n")], "job is missing"},
		"no slots": {
			strings.Replace(application, `numberOfTaskSlots: "2"`, `numberOfTaskSlots: "0"`, 1), "set at least 1",
		},
		"slots that cannot be read": {
			strings.Replace(application, `numberOfTaskSlots: "2"`, `numberOfTaskSlots: "x"`, 1), "numberOfTaskSlots",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := handover.Split("demo-green", parse[v1beta1.FlinkDeploymentSpec](t, row.template), nil)
			if err == nil || !strings.Contains(err.Error(), row.says) {
				t.Errorf("got %v, want %q", err, row.says)
			}
		})
	}
}
