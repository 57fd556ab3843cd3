package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/render/podtemplate"
)

// The directory testdata/reference holds what the Java operator made of FlinkDeployments on a real API server: cr.yaml
// is the resource and objects.yaml what belonged to it, with what differs from run to run replaced by <words>.

// jdkFlags open Java 17's modules for Flink, as the operator's default configuration does.
const jdkFlags = "--add-exports=java.base/sun.net.util=ALL-UNNAMED " +
	"--add-exports=java.rmi/sun.rmi.registry=ALL-UNNAMED " +
	"--add-exports=java.security.jgss/sun.security.krb5=ALL-UNNAMED --add-opens=java.base/java.lang=ALL-UNNAMED " +
	"--add-opens=java.base/java.net=ALL-UNNAMED --add-opens=java.base/java.io=ALL-UNNAMED " +
	"--add-opens=java.base/java.nio=ALL-UNNAMED " +
	"--add-opens=java.base/sun.nio.ch=ALL-UNNAMED --add-opens=java.base/java.lang.reflect=ALL-UNNAMED " +
	"--add-opens=java.base/java.text=ALL-UNNAMED --add-opens=java.base/java.time=ALL-UNNAMED " +
	"--add-opens=java.base/java.util=ALL-UNNAMED " +
	"--add-opens=java.base/java.util.concurrent=ALL-UNNAMED " +
	"--add-opens=java.base/java.util.concurrent.atomic=ALL-UNNAMED " +
	"--add-opens=java.base/java.util.concurrent.locks=ALL-UNNAMED"

var operatorDefaults = flinkconf.NewOperator(flinkconf.Config{
	"taskmanager.numberOfTaskSlots":                                      "1",
	"parallelism.default":                                                "1",
	key.VersionDefaultPrefix + "v1_18.env.java.opts.all":                 jdkFlags,
	key.VersionDefaultPrefix + "v1_19+.env.java.default-opts.all":        jdkFlags,
	"kubernetes.operator.health.probe.port":                              "8085",
	"kubernetes.operator.job.upgrade.last-state-fallback.enabled":        "true",
	"kubernetes.operator.cluster.health-check.enabled":                   "false",
	"job.autoscaler.enabled":                                             "false",
	"kubernetes.operator.observer.progress-check.interval":               "5 s",
	"kubernetes.operator.default-configuration.namespace.other.web.port": "1",
})

// reference is what cr.yaml does not say about a case.
type reference struct {
	generation int64           // of the start that made the objects, when it is not the resource's newest
	start      flinkconf.Start // what the job started from
}

var references = map[string]reference{
	"app-120":                       {},
	"app-ha-22":                     {},
	"ingress":                       {},
	"live-app":                      {},
	"live-ha/1-stable":              {},
	"live-ha/2-savepoint-triggered": {generation: 1},
	"live-ha/3-suspended-savepoint": {generation: 1},
	"live-ha/4-resumed": {
		start: flinkconf.Start{SavepointPath: "file:/flink-data/savepoints/savepoint-<id>"},
	},
	"live-ha/5-upgraded-last-state":  {start: flinkconf.Start{LastState: true}},
	"live-ha/6-suspended-last-state": {},
	"live-ha/7-invalid-update":       {},
	"podtemplate":                    {},
	"resource-legacy":                {},
	"rest-lb-standalone":             {},
	"session-22":                     {},
	"standalone-session":             {},
	"suspended":                      {},
}

func TestReference(t *testing.T) {
	found, err := filepath.Glob("testdata/reference/*/cr.yaml")
	deeper, err2 := filepath.Glob("testdata/reference/*/*/cr.yaml")
	if err != nil || err2 != nil || len(found)+len(deeper) != len(references) {
		t.Fatalf("%d cases, want %d: %v %v", len(found)+len(deeper), len(references), err, err2)
	}
	for name, facts := range references {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join("testdata/reference", name)
			cr := readResource(t, readFile(t, dir, "cr.yaml"))
			want := readObjects(t, readFile(t, dir, "objects.yaml"))
			if want["Deployment/"+cr.Name] == nil {
				if len(want) > 0 {
					t.Errorf("objects without their Deployment: %v", want)
				}
				return // suspended: nothing runs, nothing is compared
			}
			got := renderReference(t, cr, facts)
			for id, object := range want {
				if diff := cmp.Diff(object, got[id], cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%s differs from the reference (-want +got):\n%s", id, diff)
				}
				delete(got, id)
			}
			for id := range got {
				t.Errorf("%s is not among the reference's objects", id)
			}
		})
	}
}

// renderReference makes the objects of a case in the form of objects.yaml.
func renderReference(t *testing.T, cr v1beta1.FlinkDeployment, facts reference) map[string]any {
	t.Helper()
	cr.UID = "0f5"
	if facts.generation == 0 {
		facts.generation = cr.Generation
	}
	facts.start.JobID, facts.start.JobResultStoreDir = "<jobId>", "<uuid>"
	deployed, err := flinkconf.Deploy(flinkconf.DeployInput{
		Operator: operatorDefaults, Namespace: cr.Namespace, Name: cr.Name, UID: string(cr.UID),
		Generation: facts.generation, Spec: &cr.Spec, Start: facts.start,
	})
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := MakeCluster(Input{
		Namespace: cr.Namespace, Name: cr.Name, UID: cr.UID, Spec: cr.Spec, Config: deployed, Operation: "op-1",
		LogFiles: map[string]string{"log4j-console.properties": "appender"},
	})
	if err != nil {
		t.Fatal(err)
	}
	ingress, err := MakeIngress(IngressInput{Namespace: cr.Namespace, Name: cr.Name, UID: cr.UID, Spec: cr.Spec.Ingress})
	if err != nil {
		t.Fatal(err)
	}
	objects := map[string]any{}
	taskManagers := cluster.TaskManager
	cluster = cluster.OwnedBy("d0")
	if taskManagers != nil { // the reference leaves it to the resource, see ADR 43
		cluster.TaskManager.OwnerReferences = taskManagers.OwnerReferences
	}
	add := func(object metav1.Object, kind string) {
		if kind != "Ingress" {
			if got := object.GetAnnotations()[v1beta1.AnnotationOperation]; got != "op-1" {
				t.Errorf("%s %s carries operation %q", kind, object.GetName(), got)
			}
		}
		annotations := object.GetAnnotations()
		delete(annotations, v1beta1.AnnotationOperation)
		object.SetAnnotations(annotations)
		objects[kind+"/"+object.GetName()] = asReference(t, object, cr.Name)
	}
	for _, deployment := range cluster.Deployments() {
		setDeploymentDefaults(deployment)
		add(deployment, "Deployment")
	}
	for _, service := range cluster.Services {
		setServiceDefaults(service)
		add(service, "Service")
	}
	for _, configMap := range cluster.ConfigMaps {
		add(configMap, "ConfigMap")
	}
	if ingress != nil {
		add(ingress, "Ingress")
	}
	return objects
}

// asReference turns an object into plain JSON, with the owner's UID checked and taken out.
func asReference(t *testing.T, object metav1.Object, name string) any {
	t.Helper()
	for i, owner := range object.GetOwnerReferences() {
		if want := map[string]string{"FlinkDeployment": "0f5", "Deployment": "d0"}[owner.Kind]; string(owner.UID) != want {
			t.Errorf("owner %d of %s has UID %q, want %q", i, object.GetName(), owner.UID, want)
		}
	}
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.ReplaceAll(text, []byte("uid:0f5"), []byte("uid:<uid:FlinkDeployment/"+name+">"))
	plain := map[string]any{}
	if err := json.Unmarshal(text, &plain); err != nil {
		t.Fatal(err)
	}
	return normalised(t, plain)
}

// normalised takes out what is not compared and brings configuration texts into one form.
func normalised(t *testing.T, object map[string]any) map[string]any {
	t.Helper()
	delete(object, "status")
	metadata := object["metadata"].(map[string]any)
	delete(metadata, "generation")
	for _, owner := range asList(metadata["ownerReferences"]) {
		delete(owner.(map[string]any), "uid")
	}
	data, _ := object["data"].(map[string]any)
	for file, content := range data {
		data[file] = normalisedFile(t, file, content)
	}
	return object
}

func normalisedFile(t *testing.T, file string, content any) any {
	t.Helper()
	text, isText := content.(string)
	switch {
	case file == "log4j-console.properties":
		return "log configuration"
	case file == "flink-conf.yaml" && isText:
		var lines []any
		for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
			if strings.HasPrefix(line, "kubernetes.pod-template-file.") {
				line = line[:strings.Index(line, ":")] + ": <tmp>"
			}
			lines = append(lines, line)
		}
		slices.SortFunc(lines, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		return lines
	case file == podtemplate.FileName:
		var tree any
		unmarshal(t, []byte(text), &tree)
		return tree
	case file == "config.yaml":
		var tree map[string]any
		if isText {
			unmarshal(t, []byte(text), &tree)
		} else {
			tree = content.(map[string]any)
		}
		files, _ := tree["kubernetes"].(map[string]any)["pod-template-file"].(map[string]any)
		for side := range files {
			files[side] = "<tmp>"
		}
		return tree
	}
	return content
}

func asList(value any) []any {
	list, _ := value.([]any)
	return list
}

// readObjects reads the objects that the operator makes, by kind and name: not what Flink writes itself, not the
// autoscaler's history, not snapshots.
func readObjects(t *testing.T, text []byte) map[string]any {
	t.Helper()
	objects := map[string]any{}
	for _, document := range bytes.Split(text, []byte("\n---\n")) {
		object := map[string]any{}
		unmarshal(t, bytes.TrimPrefix(document, []byte("---\n")), &object)
		if len(object) == 0 {
			continue
		}
		metadata := object["metadata"].(map[string]any)
		name := metadata["name"].(string)
		labels, _ := metadata["labels"].(map[string]any)
		if object["kind"] == v1beta1.KindFlinkStateSnapshot || strings.HasSuffix(name, configMapSuffix) ||
			labels["component"] == ComponentAutoscaler {
			continue
		}
		objects[fmt.Sprintf("%s/%s", object["kind"], name)] = normalised(t, object)
	}
	return objects
}

// setDeploymentDefaults fills in what the API server does.
func setDeploymentDefaults(d *appsv1.Deployment) {
	limit, deadline := int32(10), int32(600)
	d.Spec.RevisionHistoryLimit, d.Spec.ProgressDeadlineSeconds = &limit, &deadline
	unmarshalDefaults(
		`{"type":"RollingUpdate","rollingUpdate":{"maxSurge":"25%","maxUnavailable":"25%"}}`, &d.Spec.Strategy,
	)
	spec := &d.Spec.Template.Spec
	spec.RestartPolicy, spec.SchedulerName = corev1.RestartPolicyAlways, corev1.DefaultSchedulerName
	if spec.DNSPolicy == "" {
		spec.DNSPolicy = corev1.DNSClusterFirst
	}
	if spec.SecurityContext == nil {
		spec.SecurityContext = &corev1.PodSecurityContext{}
	}
	if spec.TerminationGracePeriodSeconds == nil {
		seconds := int64(30)
		spec.TerminationGracePeriodSeconds = &seconds
	}
	for i := range spec.Volumes {
		if source := spec.Volumes[i].ConfigMap; source != nil && source.DefaultMode == nil {
			mode := int32(0o644)
			source.DefaultMode = &mode
		}
	}
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			setContainerDefaults(&containers[i])
		}
	}
}

func setContainerDefaults(c *corev1.Container) {
	c.TerminationMessagePath, c.TerminationMessagePolicy = corev1.TerminationMessagePathDefault,
		corev1.TerminationMessageReadFile
	if c.ImagePullPolicy == "" {
		c.ImagePullPolicy = corev1.PullIfNotPresent
	}
	for i := range c.Ports {
		if c.Ports[i].Protocol == "" {
			c.Ports[i].Protocol = corev1.ProtocolTCP
		}
	}
	for _, probe := range []*corev1.Probe{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe} {
		if probe == nil {
			continue
		}
		for field, value := range map[*int32]int32{
			&probe.FailureThreshold: 3, &probe.PeriodSeconds: 10, &probe.SuccessThreshold: 1, &probe.TimeoutSeconds: 1,
		} {
			if *field == 0 {
				*field = value
			}
		}
		if probe.HTTPGet != nil && probe.HTTPGet.Scheme == "" {
			probe.HTTPGet.Scheme = corev1.URISchemeHTTP
		}
	}
}

func setServiceDefaults(s *corev1.Service) {
	unmarshalDefaults(
		`{"internalTrafficPolicy":"Cluster","ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack","sessionAffinity":"None"}`,
		&s.Spec,
	)
	if s.Spec.Type == "" {
		s.Spec.Type = corev1.ServiceTypeClusterIP
	}
	if s.Spec.ClusterIP != "" {
		s.Spec.ClusterIPs = []string{s.Spec.ClusterIP}
	}
	if s.Spec.Type == corev1.ServiceTypeLoadBalancer {
		unmarshalDefaults(`{"allocateLoadBalancerNodePorts":true,"externalTrafficPolicy":"Cluster"}`, &s.Spec)
	}
	for i := range s.Spec.Ports {
		port := &s.Spec.Ports[i]
		port.Protocol = corev1.ProtocolTCP
		if port.TargetPort.IntVal == 0 {
			port.TargetPort.IntVal = port.Port
		}
	}
}

// readResource reads a FlinkDeployment without its status, whose times are replaced by words.
func readResource(t *testing.T, text []byte) v1beta1.FlinkDeployment {
	t.Helper()
	resource := struct {
		Metadata metav1.ObjectMeta           `json:"metadata"`
		Spec     v1beta1.FlinkDeploymentSpec `json:"spec"`
	}{}
	unmarshal(t, text, &resource)
	return v1beta1.FlinkDeployment{ObjectMeta: resource.Metadata, Spec: resource.Spec}
}

func unmarshalDefaults(text string, into any) {
	if err := json.Unmarshal([]byte(text), into); err != nil {
		panic(err)
	}
}

func unmarshal(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := yaml.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
