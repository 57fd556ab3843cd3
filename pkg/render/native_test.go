package render

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/render/podtemplate"
)

// sessionInput is a session cluster of flink:1.20 with the spec and options that a test adds as YAML.
func sessionInput(t *testing.T, spec, options string) Input {
	t.Helper()
	wanted := v1beta1.FlinkDeploymentSpec{
		Image: "flink:1.20", FlinkVersion: v1beta1.FlinkV1_20, ServiceAccount: "flink",
		JobManager:  &v1beta1.JobManagerSpec{Resource: &v1beta1.Resource{Memory: "1g"}},
		TaskManager: &v1beta1.TaskManagerSpec{Resource: &v1beta1.Resource{Memory: "1g"}},
	}
	unmarshal(t, []byte(spec), &wanted)
	defaults := operatorDefaults.Base()
	added := flinkconf.Config{}
	unmarshal(t, []byte(options), &added)
	deployed, err := flinkconf.Deploy(flinkconf.DeployInput{
		Operator: flinkconf.NewOperator(defaults.Merge(added)), Namespace: "ns", Name: "demo", UID: "u", Generation: 1,
		Spec:  &wanted,
		Start: flinkconf.Start{JobID: "5f1c9c0e6b2a4d7f8e3b1a2c3d4e5f60", JobResultStoreDir: "0b9d7c0e"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return Input{Namespace: "ns", Name: "demo", UID: "u", Spec: wanted, Config: deployed, Operation: "op-1"}
}

// TestTemplates has the rows of the pod template table that concern both components at once.
func TestTemplates(t *testing.T) {
	const off = "kubernetes.operator.jm-deployment.startup.probe.enabled: 'false'"
	tests := map[string]struct {
		spec, options string
		jobManager    []string // the containers of the JobManager's pod, the main one with what it got
		taskManager   string   // the containers of the template, "-" for no template
		reason        string
	}{
		"common template, no probe": {
			spec: `{podTemplate: {spec: {containers: [{name: c0}]}}}`, options: off,
			jobManager: []string{"c0", "main"}, taskManager: "c0",
			reason: "both components have the common template, and only the pod a main container",
		},
		"common template and probe": {
			spec:       `{podTemplate: {spec: {containers: [{name: c0}]}}}`,
			jobManager: []string{"c0", "main probe"}, taskManager: "c0",
			reason: "the probe is the JobManager's alone",
		},
		"no template": {
			jobManager: []string{"main probe"}, taskManager: "-",
			reason: "without a template TaskManagers need no file",
		},
		"REST over TLS": {
			options: "security.ssl.rest.enabled: 'true'", jobManager: []string{"main probe"}, taskManager: "-",
			reason: "a kubelet follows the redirect to TLS",
		},
		"REST over TLS, both sides": {
			options:    "security.ssl.rest.enabled: 'true'\nsecurity.ssl.rest.authentication-enabled: 'true'",
			jobManager: []string{"main probe of the port"}, taskManager: "-",
			reason: "a kubelet has no certificate to show",
		},
		"no template, no probe": {
			options: off, jobManager: []string{"main"}, taskManager: "-",
			reason: "nothing asks for a template",
		},
		"ephemeral storage": {
			spec: `{podTemplate: {spec: {containers: [{name: c0}]}}, jobManager: {resource: {ephemeralStorage: 2G}},
				taskManager: {resource: {ephemeralStorage: 3G}}}`, options: off,
			jobManager: []string{"c0", "main 2G/2G"}, taskManager: "c0 flink-main-container",
			reason: "each component gets its own size",
		},
		"resources": {
			spec: `{jobManager: {resources: {requests: {memory: 1Gi, cpu: 1, ephemeral-storage: 10Gi},
				limits: {ephemeral-storage: 20Gi}}}}`,
			jobManager: []string{"main probe 10Gi/20Gi"}, taskManager: "-",
			reason: "request and limit are told apart",
		},
		"resources win over resource": {
			spec: `{jobManager: {resource: {ephemeralStorage: 2G}, resources: {requests: {memory: 1Gi}}},
				taskManager: {resource: {ephemeralStorage: 2G}, resources: {}}}`, options: off,
			jobManager: []string{"main"}, taskManager: "flink-main-container",
			reason: "usable resources silence the older field, an empty one does not",
		},
		"templates of the components": {
			spec: `{jobManager: {podTemplate: {spec: {containers: [
				{name: flink-main-container, startupProbe: {}}, {name: c0}]}}},
				taskManager: {podTemplate: {spec: {containers: [{name: c1}]}}}}`,
			jobManager: []string{"c0", "main probe"}, taskManager: "c1",
			reason: "main comes last wherever the template has it",
		},
		"by name": {
			spec: `{podTemplate: {spec: {containers: [{name: a}, {name: b}]}},
				taskManager: {podTemplate: {spec: {containers: [{name: b}, {name: c}]}}}}`,
			options:    "kubernetes.operator.pod-template.merge-arrays-by-name: 'true'",
			jobManager: []string{"a", "b", "main probe"}, taskManager: "a b c",
			reason: "the option is the operator's and reaches the merge",
		},
		"no components": {
			spec: `{podTemplate: {spec: {}}}`, options: off, jobManager: []string{"main"}, taskManager: "",
			reason: "a template without containers is still one",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cluster, err := MakeCluster(sessionInput(t, test.spec, test.options))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.jobManager, containers(cluster.JobManager)); diff != "" {
				t.Errorf("%s: JobManager (-want +got):\n%s", test.reason, diff)
			}
			if got := templateContainers(t, cluster); got != test.taskManager {
				t.Errorf("%s: TaskManagers got %q, want %q", test.reason, got, test.taskManager)
			}
		})
	}
}

func containers(deployment *appsv1.Deployment) []string {
	var names []string
	for _, c := range deployment.Spec.Template.Spec.Containers {
		name := c.Name
		if name == podtemplate.MainContainer {
			name = "main"
		}
		if c.StartupProbe != nil {
			name += " probe"
		}
		if c.StartupProbe != nil && c.StartupProbe.TCPSocket != nil {
			name += " of the port"
		}
		request, asks := c.Resources.Requests[corev1.ResourceEphemeralStorage]
		limit := c.Resources.Limits[corev1.ResourceEphemeralStorage]
		if asks {
			name += " " + request.String() + "/" + limit.String()
		}
		names = append(names, name)
	}
	return names
}

func templateContainers(t *testing.T, cluster Cluster) string {
	t.Helper()
	for _, configMap := range cluster.ConfigMaps {
		if configMap.Name != PodTemplateName("demo") {
			continue
		}
		template := corev1.PodTemplateSpec{}
		unmarshal(t, []byte(configMap.Data[podtemplate.FileName]), &template)
		var names []string
		for _, c := range template.Spec.Containers {
			names = append(names, c.Name)
		}
		return strings.Join(names, " ")
	}
	return "-"
}

func TestRefused(t *testing.T) {
	tests := map[string]struct {
		spec, options string
		change        func(*Input)
		where         string
		reason        string
	}{
		"name": {
			change: func(in *Input) { in.Name = "Demo" }, where: "metadata.name",
			reason: "an id that cannot name a Service",
		},
		"resource that is no quantity": {
			spec: `{jobManager: {resources: {requests: {memory: 1Gi, ephemeral-storage: much}}}}`, where: "spec.podTemplate",
			reason: "the JobManager's pod could not be made",
		},
		"template file of the operator's": {
			spec:    `{flinkConfiguration: {kubernetes.pod-template-file.taskmanager: /templates/tm.yaml}}`,
			where:   "kubernetes.pod-template-file.taskmanager",
			reason:  "silently starting TaskManagers without it would be worse",
			options: "",
		},
		"template file for all pods": {
			spec:  `{flinkConfiguration: {kubernetes.pod-template-file: /templates/tm.yaml}}`,
			where: "kubernetes.pod-template-file", reason: "the older spelling too",
		},
		"upload": {
			spec:  `{flinkConfiguration: {kubernetes.artifacts.local-upload-enabled: true}}`,
			where: "kubernetes.artifacts.local-upload-enabled", reason: "there is no file to upload",
		},
		"keytab without principal": {
			spec:  `{flinkConfiguration: {security.kerberos.login.keytab: /k}}`,
			where: "security.kerberos.login.keytab", reason: "Flink needs both",
		},
		"principal without keytab": {
			spec:  `{flinkConfiguration: {security.kerberos.login.principal: me}}`,
			where: "security.kerberos.login.keytab", reason: "Flink needs both",
		},
		"keytab that is not there": {
			spec:  `{flinkConfiguration: {security.kerberos.login.keytab: /k, security.kerberos.login.principal: me}}`,
			where: "security.kerberos.login.keytab", reason: "pods would wait for a Secret that nobody makes",
		},
		"secret variable without its key": {
			spec:  `{flinkConfiguration: {kubernetes.env.secretKeyRef: "env:A,secret:s"}}`,
			where: "kubernetes.env.secretKeyRef", reason: "Kubernetes would refuse the pod with less to go on",
		},
		"taskmanager memory": {
			spec:  `{taskManager: {resource: {memory: 400m}}}`,
			where: "taskmanager.memory.process.size", reason: "no TaskManager could ever start",
		},
		"jobmanager memory": {
			spec:  `{jobManager: {resource: {memory: 300m}}}`,
			where: "jobmanager.memory.process.size", reason: "no JobManager could ever start",
		},
		"limit below the request": {
			spec:  `{jobManager: {resources: {requests: {memory: 1Gi, cpu: 2}, limits: {cpu: 1}}}}`,
			where: "kubernetes.jobmanager.cpu.limit-factor", reason: "the factor is below 1",
		},
		"rest port out of range": {
			spec:  `{flinkConfiguration: {rest.port: 70000, rest.bind-port: 8081}}`,
			where: "rest.port", reason: "no Service has such a port",
		},
		"overlapping keys": {
			spec:  `{flinkVersion: v2_0, flinkConfiguration: {state.backend: rocksdb, state.backend.incremental: true}}`,
			where: "spec.flinkConfiguration", reason: "nested YAML cannot hold a key that begins another one",
		},
		"rest port zero": {
			spec: `{flinkConfiguration: {rest.port: 0}}`, where: "rest.port", reason: "a Service has to name one port",
		},
		"rest port one": {
			spec: `{flinkConfiguration: {rest.port: 1, rest.bind-port: 1}}`, reason: "the smallest that a Service has",
		},
		"the last rest port": {
			spec: `{flinkConfiguration: {rest.port: 65535, rest.bind-port: 65535}}`, reason: "a Service may have it",
		},
		"one port more": {
			spec:  `{flinkConfiguration: {rest.port: 65536, rest.bind-port: 8081}}`,
			where: "rest.port", reason: "no Service has such a port",
		},
		"secret variable with an empty key": {
			spec:  `{flinkConfiguration: {kubernetes.env.secretKeyRef: "env:A,secret:s,key:''"}}`,
			where: "kubernetes.env.secretKeyRef", reason: "Kubernetes would refuse the pod with less to go on",
		},
		"application without a jar": {
			spec: `{job: {parallelism: 1, entryClass: org.example.Job}}`, where: "spec.job.jarURI",
			reason: "a JobManager of Flink 1 refuses to start",
		},
		"application with two jars": {
			spec: `{flinkVersion: v2_2, job: {parallelism: 1}, flinkConfiguration: {pipeline.jars: ` +
				`"local:///a;local:///b"}}`,
			where: "pipeline.jars", reason: "a JobManager takes one at most",
		},
		"Python application": {
			spec:   `{job: {parallelism: 1, entryClass: org.apache.flink.client.python.PythonDriver}}`,
			reason: "Python needs no jar",
		},
		"Python application by its arguments": {
			spec:   `{job: {parallelism: 1, args: [-pym, job]}}`,
			reason: "Python needs no jar",
		},
		"application of Flink 2 without a jar": {
			spec:   `{flinkVersion: v2_0, job: {parallelism: 1, entryClass: org.example.Job}}`,
			reason: "the class may be on the class path",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			input := sessionInput(t, test.spec, test.options)
			if test.change != nil {
				test.change(&input)
			}
			cluster, err := MakeCluster(input)
			if test.where == "" {
				if err != nil {
					t.Errorf("%s: %v", test.reason, err)
				}
				return
			}
			var spec *SpecError
			var value *conf.ValueError
			if !errors.As(err, &spec) && !errors.As(err, &value) || !strings.Contains(err.Error(), test.where) {
				t.Errorf("%s: got error %v, want one that names %s", test.reason, err, test.where)
			}
			if cluster.JobManager != nil {
				t.Error("an error and a cluster")
			}
		})
	}
}

func TestNotes(t *testing.T) {
	tests := map[string]struct {
		spec, options, note string
		reason              string
	}{
		"nothing to say": {reason: "a plain cluster works"},
		"host network": {
			spec: `{flinkConfiguration: {kubernetes.hostnetwork.enabled: true}}`, note: "kubernetes.hostnetwork.enabled",
			reason: "the probe names a port that is not declared",
		},
		"host network without the probe": {
			spec:    `{flinkConfiguration: {kubernetes.hostnetwork.enabled: true}}`,
			options: "kubernetes.operator.jm-deployment.startup.probe.enabled: 'false'", reason: "no probe, no problem",
		},
		"host network with a probe of the user's": {
			spec: `{flinkConfiguration: {kubernetes.hostnetwork.enabled: true}, podTemplate: {spec: {containers: [
				{name: flink-main-container, startupProbe: {tcpSocket: {port: 6123}}}]}}}`, reason: "that probe may work",
		},
		"another bind port": {
			spec: `{flinkConfiguration: {rest.bind-port: 9999}}`, note: "rest.bind-port",
			reason: "the probe asks the other port",
		},
		"krb5.conf that is not there": {
			spec: `{flinkConfiguration: {security.kerberos.krb5-conf.path: /etc/krb5.conf}}`, note: "kerberos-krb5conf-demo",
			reason: "pods wait for a ConfigMap that somebody else has to make",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cluster, err := MakeCluster(sessionInput(t, test.spec, test.options))
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(cluster.Notes, "\n")
			if (test.note == "") != (got == "") || !strings.Contains(got, test.note) {
				t.Errorf("%s: got %q, want the mention of %q", test.reason, got, test.note)
			}
		})
	}
}

func TestDefaultImage(t *testing.T) {
	tests := map[v1beta1.FlinkVersion]string{
		v1beta1.FlinkV1_15: "flink:1.15",
		v1beta1.FlinkV1_20: "apache/flink:1.20.4-scala_2.12",
		v1beta1.FlinkV2_2:  "flink:2.2",
	}
	for version, want := range tests {
		input := sessionInput(t, `{image: "", flinkVersion: `+string(version)+`}`, "")
		cluster, err := MakeCluster(input)
		if err != nil {
			t.Fatal(err)
		}
		if got := cluster.JobManager.Spec.Template.Spec.Containers[0].Image; got != want {
			t.Errorf("%s: got %s, want %s: an image of another release would not read the configuration", version, got, want)
		}
	}
}

func TestOwnedBy(t *testing.T) {
	before, err := MakeCluster(goldenInput(t, "mounts", nil))
	if err != nil {
		t.Fatal(err)
	}
	owned := before.OwnedBy("d-1")
	yes := true
	want := []metav1.OwnerReference{
		{APIVersion: "apps/v1", Kind: "Deployment", Name: "mounts", UID: "d-1", Controller: &yes, BlockOwnerDeletion: &yes},
	}
	if len(ownedObjects(owned)) != 5 || owned.JobManager != before.JobManager || len(owned.Notes) != len(before.Notes) {
		t.Errorf("%d objects besides the Deployment, notes %v", len(ownedObjects(owned)), owned.Notes)
	}
	for _, object := range ownedObjects(owned) {
		if diff := cmp.Diff(want, object.GetOwnerReferences()); diff != "" {
			t.Errorf("%s has another owner (-want +got):\n%s", object.GetName(), diff)
		}
	}
	for _, object := range ownedObjects(before) {
		if object.GetOwnerReferences() != nil {
			t.Errorf("%s was changed", object.GetName())
		}
	}
}

// ownedObjects are all objects but the Deployment.
func ownedObjects(c Cluster) []metav1.Object {
	var all []metav1.Object
	for _, o := range c.Services {
		all = append(all, o)
	}
	for _, o := range c.ConfigMaps {
		all = append(all, o)
	}
	for _, o := range c.Secrets {
		all = append(all, o)
	}
	return all
}
