package flinkconf_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

const app = `job: {jarURI: "local:///opt/a.jar", parallelism: 2}` + "\n"

func TestDefaultsAndImage(t *testing.T) {
	for name, tc := range map[string]struct {
		spec   string
		want   map[string]string
		reason string
	}{
		"defaults": {
			`flinkConfiguration: {taskmanager.numberOfTaskSlots: 2}`,
			map[string]string{
				"taskmanager.numberOfTaskSlots":        "2",
				"kubernetes.rest-service.exposed.type": "ClusterIP",
				"web.cancel.enable":                    "false",
				"$internal.flink.version":              "v1_20",
			},
			"the operator's own defaults beside the user's keys",
		},
		"defaults of an application": {
			app,
			map[string]string{"kubernetes.rest-service.exposed.type": "ClusterIP", "web.cancel.enable": "false"},
			"the same for both kinds",
		},
		"user wins": {
			`flinkConfiguration: {kubernetes.rest-service.exposed.type: LoadBalancer, web.cancel.enable: true}`,
			map[string]string{"kubernetes.rest-service.exposed.type": "LoadBalancer", "web.cancel.enable": "true"},
			"defaults give way",
		},
		"image": {
			`{image: "flink:1.20", imagePullPolicy: Always, serviceAccount: sa}`,
			map[string]string{"kubernetes.container.image.ref": "flink:1.20", "kubernetes.container.image": "-",
				"kubernetes.container.image.pull-policy": "Always", "kubernetes.service-account": "sa"},
			"fields of the spec",
		},
		"image before 1.17": {
			`{flinkVersion: v1_16, image: "flink:1.16"}`,
			map[string]string{"kubernetes.container.image": "flink:1.16", "kubernetes.container.image.ref": "-"},
			"the only key that image knows",
		},
		"blank image": {
			`{image: " "}`,
			map[string]string{"kubernetes.container.image.ref": "-", "kubernetes.container.image.pull-policy": "-"},
			"then the pod template decides",
		},
		"identity": {
			`{}`,
			map[string]string{
				"kubernetes.namespace":         "ns1",
				"kubernetes.cluster-id":        "demo",
				"high-availability.cluster-id": "-",
			},
			"the cluster is named after the resource",
		},
		"identity with HA": {
			`flinkConfiguration: {high-availability: zookeeper}`,
			map[string]string{"high-availability.cluster-id": "demo"},
			"the older spelling turns HA on too",
		},
	} {
		t.Run(name, func(t *testing.T) {
			has(t, deploy(t, input(t, tc.spec)).Cluster, tc.want, tc.reason)
		})
	}
}

func TestDeployErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		spec   string
		change func(*flinkconf.DeployInput)
		says   []string
		reason string
	}{
		"pull policy": {
			`imagePullPolicy: always`,
			nil,
			[]string{"spec.imagePullPolicy", "always", "Always"},
			"Kubernetes knows the exact constants only",
		},
		"probe": {
			`flinkConfiguration: {kubernetes.operator.jm-deployment.startup.probe.enabled: maybe}`,
			nil,
			[]string{"startup.probe.enabled", "maybe"},
			"an option that is read has to parse",
		},
		"slots": {
			app + "taskManager: {replicas: 2}\nflinkConfiguration: {taskmanager.numberOfTaskSlots: many}",
			nil,
			[]string{"taskmanager.numberOfTaskSlots", "many"},
			"slots make the parallelism",
		},
		"zero slots": {
			app + "mode: standalone\nflinkConfiguration: {taskmanager.numberOfTaskSlots: 0}",
			nil,
			[]string{"taskmanager.numberOfTaskSlots", "at least 1"},
			"no division by zero",
		},
		"overrides": {
			app + "mode: standalone\nflinkConfiguration: {pipeline.jobvertex-parallelism-overrides: 'v1:x'}",
			nil,
			[]string{"parallelism-overrides", `"x"`, `"v1"`},
			"overrides are numbers",
		},
		"override map": {
			app + "mode: standalone\nflinkConfiguration: {pipeline.jobvertex-parallelism-overrides: 'v1'}",
			nil,
			[]string{"parallelism-overrides"},
			"and pairs",
		},
		"jar": {
			"job: {jarURI: 'local://%zz', parallelism: 1}",
			nil,
			[]string{"spec.job.jarURI"},
			"a URI has to parse",
		},
		"jar scheme": {
			"job: {jarURI: /opt/a.jar, parallelism: 1}\nmode: standalone",
			nil,
			[]string{"spec.job.jarURI", "scheme"},
			"the class path takes URLs",
		},
		"port range": {
			`flinkConfiguration: {blob.server.port: 50100-50200}`,
			nil,
			[]string{"blob.server.port", "50100-50200", "one fixed port"},
			"a Service needs one port",
		},
		"rpc port": {
			`flinkConfiguration: {high-availability.type: kubernetes, jobmanager.rpc.port: x}`,
			nil,
			[]string{"jobmanager.rpc.port"},
			"the HA port follows it",
		},
		"HA port": {
			`flinkConfiguration: {high-availability.type: kubernetes, high-availability.jobmanager.port: 1-2}`,
			nil,
			[]string{"high-availability.jobmanager.port"},
			"also for HA",
		},
		"annotations": {
			`flinkConfiguration: {kubernetes.jobmanager.annotations: broken}`,
			func(in *flinkconf.DeployInput) { in.Generation = 1 },
			[]string{"kubernetes.jobmanager.annotations"},
			"the generation is added to what parses",
		},
		"no job ID": {
			app,
			func(in *flinkconf.DeployInput) { in.Start.JobID = "" },
			[]string{"job ID", "Start.JobID"},
			"Flink must not make one up",
		},
		"no result dir": {
			app + "flinkConfiguration: {high-availability.storageDir: s3://b/ha}",
			func(in *flinkconf.DeployInput) { in.Start.JobResultStoreDir = "" },
			[]string{"JobResultStoreDir", "demo"},
			"an old result must not end a new job",
		},
		"configuration": {`flinkConfiguration: [1]`, nil, []string{"flinkConfiguration"}, "it has to be an object"},
	} {
		t.Run(name, func(t *testing.T) {
			in := input(t, tc.spec)
			if tc.change != nil {
				tc.change(&in)
			}
			_, err := flinkconf.Deploy(in)
			if err == nil {
				t.Fatalf("no error: %s", tc.reason)
			}
			for _, part := range tc.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not say %q: %s", err, part, tc.reason)
				}
			}
		})
	}
}

func TestPodTemplateKeys(t *testing.T) {
	const jm, tm = "kubernetes.pod-template-file.jobmanager", "kubernetes.pod-template-file.taskmanager"
	off := "flinkConfiguration: {kubernetes.operator.jm-deployment.startup.probe.enabled: false}\n"
	for name, tc := range map[string]struct {
		spec   string
		jm, tm bool
		reason string
	}{
		"probe":   {``, true, false, "the startup probe stands in a template"},
		"nothing": {off, false, false, "no template, no file"},
		"common": {
			off + `podTemplate: {metadata: {labels: {a: b}}}`,
			true,
			true,
			"the common template is for both",
		},
		"own": {
			off + `taskManager: {podTemplate: {metadata: {labels: {a: b}}}}`,
			false,
			true,
			"an own template is for that side",
		},
		"own jm": {
			off + `jobManager: {podTemplate: {metadata: {labels: {a: b}}}}`,
			true,
			false,
			"an own template is for that side",
		},
		"other resource": {
			off + `taskManager: {resources: {limits: {nvidia.com/gpu: 1}}}`,
			false,
			true,
			"only a template can carry it",
		},
		"cpu and memory": {
			off + `taskManager: {resources: {limits: {cpu: 1, memory: 1g}}}`,
			false,
			false,
			"these are options",
		},
		"storage": {
			off + `jobManager: {resource: {ephemeralStorage: 1Gi}}`,
			true,
			false,
			"only a template can carry it",
		},
		"hidden storage": {
			off + `jobManager: {resource: {ephemeralStorage: 1Gi}, resources: {requests: {cpu: 1}}}`,
			false,
			false,
			"resources hide the older way",
		},
		"without managers": {off + `{jobManager: null, taskManager: null}`, false, false, "no sections, no templates"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := strings.Replace(
				tc.spec, "{jobManager: null, taskManager: null}", "jobManager: null\ntaskManager: null", 1,
			)
			c := deploy(t, input(t, spec)).Cluster
			if c[jm] != "" != tc.jm || c[tm] != "" != tc.tm {
				t.Errorf("files %q and %q: %s", c[jm], c[tm], tc.reason)
			}
			if tc.jm && tc.tm && c[jm] == c[tm] {
				t.Errorf("both sides share the file %q", c[jm])
			}
		})
	}
}

func TestGeneration(t *testing.T) {
	for name, tc := range map[string]struct {
		spec       string
		generation int64
		want       map[string]string
		reason     string
	}{
		"alone": {
			``,
			5,
			map[string]string{"kubernetes.jobmanager.annotations": "flinkdeployment.flink.apache.org/generation:5"},
			"the only annotation",
		},
		"added": {
			`flinkConfiguration: {kubernetes.jobmanager.annotations: "a:b"}`,
			5,
			map[string]string{"kubernetes.jobmanager.annotations": "a:b,flinkdeployment.flink.apache.org/generation:5"},
			"beside the user's, sorted",
		},
		"replaced": {
			`flinkConfiguration: {kubernetes.jobmanager.annotations: "flinkdeployment.flink.apache.org/generation:1"}`,
			5,
			map[string]string{"kubernetes.jobmanager.annotations": "flinkdeployment.flink.apache.org/generation:5"},
			"an old one goes",
		},
		"prefix notation": {
			`flinkConfiguration: {kubernetes.jobmanager.annotations.x: "y,z"}`,
			7,
			map[string]string{
				"kubernetes.jobmanager.annotations":   "flinkdeployment.flink.apache.org/generation:7,'x:y,z'",
				"kubernetes.jobmanager.annotations.x": "-",
			},
			"collected into the one key",
		},
		"none": {
			``,
			0,
			map[string]string{"kubernetes.jobmanager.annotations": "-"},
			"without a generation there is nothing to say",
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := input(t, tc.spec)
			in.Generation = tc.generation
			has(t, deploy(t, in).Cluster, tc.want, tc.reason)
		})
	}
}

func TestOwner(t *testing.T) {
	want := "uid:uid-1,name:demo,controller:false,blockOwnerDeletion:true,apiVersion:flink.apache.org/v1beta1," +
		"kind:FlinkDeployment"
	for name, spec := range map[string]string{
		"session":     ``,
		"application": app,
		"standalone":  app + "mode: standalone",
	} {
		t.Run(name, func(t *testing.T) {
			has(
				t, deploy(t, input(t, spec)).Cluster, map[string]string{"kubernetes.jobmanager.owner.reference": want},
				"every cluster belongs to its resource",
			)
		})
	}
}

// TestNoOperatorKeys: in every mode, what a cluster receives holds no option of the operator or the autoscaler.
func TestNoOperatorKeys(t *testing.T) {
	own := "flinkConfiguration: {kubernetes.operator.health.probe.port: 1, job.autoscaler.enabled: true, " +
		"kubernetes.operator.job.autoscaler.enabled: true, x: kept}\n"
	for name, spec := range map[string]string{
		"native session":         own,
		"standalone session":     own + "mode: standalone",
		"native application":     own + app,
		"standalone application": own + app + "mode: standalone",
	} {
		t.Run(name, func(t *testing.T) {
			in := input(t, spec)
			in.Operator = operator(t)
			deployed := deploy(t, in)
			for k := range deployed.Cluster {
				if strings.HasPrefix(k, "kubernetes.operator.") || strings.HasPrefix(k, "job.autoscaler.") {
					t.Errorf("the cluster gets %q", k)
				}
			}
			has(t, deployed.Effective, map[string]string{
				"job.autoscaler.enabled": "true",
				"x":                      "kept",
			}, "the effective configuration keeps them")
			has(t, deployed.Cluster, map[string]string{"x": "kept"}, "keys nobody here knows pass through")
		})
	}
}

func TestDeployIsDeterministic(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		spec := app + "flinkConfiguration: {kubernetes.jobmanager.annotations.b: '1', " +
			"kubernetes.jobmanager.annotations.a: '2', high-availability.type: kubernetes, high-availability.storageDir: " +
			"s3://ha}"
		in := input(t, spec)
		in.Generation = rapid.Int64Range(1, 99).Draw(rt, "generation")
		in.Spec.FlinkVersion = rapid.SampledFrom(v1beta1.FlinkVersions()).Draw(rt, "version")
		in.Operator = flinkconf.NewOperator(flinkconf.Config(rapid.MapOf(
			rapid.StringMatching(`[a-d]\.[a-d]`), rapid.String(),
		).Draw(rt, "base")))
		first, second := deploy(t, in), deploy(t, in)
		if diff := cmp.Diff(first, second); diff != "" {
			rt.Fatalf("two compositions differ:\n%s", diff)
		}
		_, firstText, _ := flinkconf.Files(first.Cluster, in.Spec.FlinkVersion)
		_, secondText, _ := flinkconf.Files(maps.Clone(first.Cluster), in.Spec.FlinkVersion)
		if firstText != secondText {
			rt.Fatalf("two prints differ:\n%s", cmp.Diff(firstText, secondText))
		}
	})
}
