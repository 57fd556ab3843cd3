package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	"pgregory.net/rapid"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/render/podtemplate"
)

// TestMakeClusterLaws draws resources and configurations, sensible and not, and asks for what holds of every cluster.
func TestMakeClusterLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		input := drawInput(t)
		before := mustPrint(t, input)
		cluster, err := MakeCluster(input)
		if after := mustPrint(t, input); after != before {
			t.Fatalf("the input was changed:\n%s", cmp.Diff(before, after))
		}
		if err != nil {
			checkError(t, cluster, err)
			return
		}
		again, err := MakeCluster(input)
		if err != nil {
			t.Fatalf("made once and refused once: %v", err)
		}
		if diff := cmp.Diff(mustPrint(t, cluster), mustPrint(t, again)); diff != "" {
			t.Fatalf("two clusters of one input:\n%s", diff)
		}
		for _, deployment := range cluster.Deployments() {
			checkPod(t, deployment)
		}
		if want := input.Spec.Mode == v1beta1.ModeStandalone; (cluster.TaskManager != nil) != want {
			t.Fatalf("a Deployment of TaskManagers: %t, want %t", !want, want)
		}
		checkObjects(t, cluster)
	})
}

func checkError(t *rapid.T, cluster Cluster, err error) {
	var spec *SpecError
	var value *conf.ValueError
	if cluster.JobManager != nil || cluster.TaskManager != nil || !errors.As(err, &spec) && !errors.As(err, &value) {
		t.Fatalf("an error of another type, or with a cluster: %v", err)
	}
}

func checkPod(t *rapid.T, deployment *appsv1.Deployment) {
	pod := deployment.Spec.Template
	last := len(pod.Spec.Containers) - 1
	for i, container := range pod.Spec.Containers {
		if (container.Name == podtemplate.MainContainer) != (i == last) {
			t.Fatalf("container %d of %d is %q", i, last+1, container.Name)
		}
	}
	if selector := labels.SelectorFromSet(
		deployment.Spec.Selector.MatchLabels,
	); !selector.Matches(labels.Set(pod.Labels)) {
		t.Fatalf("the selector %v misses its own pod %v", selector, pod.Labels)
	}
	volumes := map[string]bool{}
	for _, volume := range pod.Spec.Volumes {
		volumes[volume.Name] = true
	}
	mounts := pod.Spec.Containers[last].VolumeMounts
	if own := mounts[len(mounts)-1].Name; !volumes[own] {
		t.Fatalf("mount %q has no volume", own)
	}
}

func checkObjects(t *rapid.T, cluster Cluster) {
	objects := ownedObjects(cluster)
	for _, deployment := range cluster.Deployments() {
		objects = append(objects, deployment)
	}
	seen := map[string]bool{}
	for _, object := range objects {
		id := fmt.Sprintf("%T %s", object, object.GetName())
		if seen[id] {
			t.Fatalf("two of %s", id)
		}
		seen[id] = true
		if problems := validation.IsDNS1035Label(object.GetName()); len(problems) > 0 || object.GetNamespace() != "ns" {
			t.Fatalf("%s in %q: %v", id, object.GetNamespace(), problems)
		}
		if object.GetAnnotations()[v1beta1.AnnotationOperation] != "op" {
			t.Fatalf("%s does not say whose it is", id)
		}
	}
}

// optionValues are texts for options that shape objects: good ones, and ones that must be refused and not crash.
var optionValues = map[string][]string{
	"kubernetes.jobmanager.labels":        {"a:b", "app:x,component:y", "broken", ""},
	"kubernetes.jobmanager.annotations":   {"a/b:c,'d:e':f", ":", "x"},
	"kubernetes.jobmanager.node-selector": {"disk:ssd", ";"},
	"kubernetes.jobmanager.tolerations": {
		"key:a,operator:Exists;key:b,tolerationSeconds:5", "tolerationSeconds:x", "'",
	},
	"kubernetes.jobmanager.replicas":                          {"1", "3", "0", "-1", "many"},
	"kubernetes.jobmanager.cpu.amount":                        {"0.1", "2", "NaN", "1e300", "-1"},
	"kubernetes.jobmanager.cpu.limit-factor":                  {"1", "1.5", "0.5", "Infinity"},
	"kubernetes.jobmanager.memory.limit-factor":               {"1", "1e18", "0.5", "NaN"},
	"kubernetes.container.image.pull-policy":                  {"always", "Never", "sometimes"},
	"kubernetes.container.image.pull-secrets":                 {"a;b", ";;", "'a;b'"},
	"kubernetes.rest-service.exposed.type":                    {"NodePort", "headless_clusterip", "None"},
	"kubernetes.rest-service.annotations":                     {"a:b", "a"},
	"kubernetes.rest-service.labels":                          {"app:x", "a"},
	"kubernetes.secrets":                                      {"a:/a,b.c:/b", "a", "':"},
	"kubernetes.persistent-volume-claims":                     {"a:/a", "b"},
	"kubernetes.env.secretKeyRef":                             {"env:A,secret:s,key:k", "env:A", "x:y"},
	"kubernetes.hadoop.conf.config-map.name":                  {"hadoop", " "},
	"kubernetes.hostnetwork.enabled":                          {"true", "TRUE", "maybe"},
	"kubernetes.service-account":                              {"other"},
	"kubernetes.pod-template-file.taskmanager":                {"/x"},
	"containerized.master.env.A":                              {"1", ""},
	"containerized.taskmanager.env.A":                         {"1", ""},
	"kubernetes.internal.taskmanager.replicas":                {"3", "0", "many"},
	"kubernetes.taskmanager.labels":                           {"a:b", "app:x,component:y", "broken"},
	"kubernetes.taskmanager.annotations":                      {"a/b:c", "x"},
	"kubernetes.taskmanager.node-selector":                    {"disk:ssd", ";"},
	"kubernetes.taskmanager.tolerations":                      {"key:a,operator:Exists", "tolerationSeconds:x"},
	"kubernetes.taskmanager.cpu.amount":                       {"0.1", "NaN", "1e300", "-1"},
	"kubernetes.taskmanager.cpu.limit-factor":                 {"1.5", "0.5", "Infinity"},
	"kubernetes.taskmanager.memory.limit-factor":              {"1e18", "0.5", "NaN"},
	"taskmanager.rpc.port":                                    {"6000", "0", "1-2"},
	"pipeline.classpaths":                                     {"file:///opt/flink/usrlib/a.jar", "%zz", "';"},
	"security.kerberos.login.keytab":                          {"/k", "/none", " "},
	"security.kerberos.login.principal":                       {"me", ""},
	"security.kerberos.krb5-conf.path":                        {"/k", "/none"},
	"high-availability.type":                                  {"kubernetes", "zookeeper", "NONE", "org.example.Factory"},
	"rest.port":                                               {"9999", "0", "-1", "70000", "x"},
	"rest.bind-port":                                          {"9998", "0", "1-2"},
	"jobmanager.memory.process.size":                          {"2g", "1", "x"},
	"kubernetes.operator.pod-template.merge-arrays-by":        {"x"},
	"kubernetes.operator.jm-deployment.startup.probe.enabled": {"true", "false"},
}

func drawInput(t *rapid.T) Input {
	options := flinkconf.Config{
		"jobmanager.memory.process.size": "1g", "taskmanager.memory.process.size": "1g",
		"kubernetes.taskmanager.cpu.amount": "1",
	}
	names := flinkconf.Config{}
	for name := range optionValues {
		names[name] = ""
	}
	for _, name := range rapid.SliceOfN(rapid.SampledFrom(names.Keys()), 0, 5).Draw(t, "options") {
		options[name] = rapid.OneOf(rapid.SampledFrom(optionValues[name]), rapid.String()).Draw(t, name)
	}
	text, err := json.Marshal(options)
	if err != nil {
		t.Fatal(err)
	}
	spec := v1beta1.FlinkDeploymentSpec{
		FlinkConfiguration: text,
		FlinkVersion:       rapid.SampledFrom(append(v1beta1.FlinkVersions(), "", "latest")).Draw(t, "version"),
		Image:              rapid.SampledFrom([]string{"", "i"}).Draw(t, "image"),
		Mode:               rapid.SampledFrom([]v1beta1.Mode{"", v1beta1.ModeNative, v1beta1.ModeStandalone}).Draw(t, "mode"),
		PodTemplate:        drawTemplate(t, "common"),
		JobManager:         &v1beta1.JobManagerSpec{PodTemplate: drawTemplate(t, "jobManager")},
		TaskManager:        &v1beta1.TaskManagerSpec{PodTemplate: drawTemplate(t, "taskManager")},
	}
	if rapid.Bool().Draw(t, "application") {
		spec.Job = &v1beta1.JobSpec{
			JarURI: "local:///a.jar", Parallelism: 1, Args: []string{rapid.String().Draw(t, "argument")},
		}
	}
	deployed, err := flinkconf.Deploy(flinkconf.DeployInput{
		Namespace: "ns", Name: "demo", UID: "u", Spec: &spec, Start: flinkconf.Start{JobID: "0a", JobResultStoreDir: "d"},
	})
	if err != nil { // refused earlier: render what the user wrote as it stands
		deployed = flinkconf.Deployed{Effective: options, Cluster: options}
	}
	return Input{
		Namespace: "ns", Name: "demo", UID: "u", Spec: spec, Config: deployed, Operation: "op",
		LogFiles: map[string]string{"logback-console.xml": "x"}, KerberosFiles: map[string][]byte{"/k": {1}},
		HadoopFiles: map[string]string{"core-site.xml": "x"},
	}
}

// drawTemplate draws a template that the schema admits; nil at times.
func drawTemplate(t *rapid.T, label string) *v1beta1.PodTemplate {
	containers := rapid.SliceOfN(rapid.SampledFrom([]string{
		`{"name":"flink-main-container","image":"t","resources":{"requests":{"cpu":"1","x/y":"2"}}}`,
		`{"name":"flink-main-container","env":[{"name":"A","value":"1"}],"startupProbe":{}}`,
		`{"name":"side","args":["a","b"]}`, `{"image":"unnamed"}`, `{}`,
		`{"name":"other","volumeMounts":[{"name":"v","mountPath":"/v"}]}`,
	}), 0, 4).Draw(t, label+" containers")
	specs := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		`"volumes":[{"name":"v","emptyDir":{}}]`, `"serviceAccountName":"s"`, `"dnsPolicy":"None"`,
		`"nodeSelector":{"disk":"hdd"}`,
		`"tolerations":[{"key":"a"},{"key":"b","operator":"Exists"}]`, `"imagePullSecrets":[{"name":"p"}]`,
		`"priorityClassName":"high"`,
	}), 0, 4, rapid.ID[string]).Draw(t, label+" spec")
	if len(containers) == 0 && len(specs) == 0 && rapid.Bool().Draw(t, label+" absent") {
		return nil
	}
	specs = append(specs, `"containers":[`+strings.Join(containers, ",")+`]`)
	template := &v1beta1.PodTemplate{}
	text := `{"metadata":{"labels":{"app":"t","team":"t"}},"spec":{` + strings.Join(specs, ",") + `}}`
	if err := json.Unmarshal([]byte(text), template); err != nil {
		t.Fatal(err)
	}
	return template
}

func mustPrint(t *rapid.T, value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
