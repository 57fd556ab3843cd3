package render

import (
	"encoding/json"
	"errors"
	"path/filepath"
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
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/render/podtemplate"
)

// clientCase is one file of testdata/client.
type clientCase struct {
	Config              flinkconf.Config     `json:"config"`
	JobManagerTemplate  *v1beta1.PodTemplate `json:"jobManagerTemplate"`
	TaskManagerTemplate *v1beta1.PodTemplate `json:"taskManagerTemplate"`
	Logs                map[string]string    `json:"logs"`
	Hadoop              map[string]string    `json:"hadoop"`
	Kerberos            map[string]string    `json:"kerberos"`
	Objects             []json.RawMessage    `json:"objects"`
	Refused             string               `json:"refused"`
	Where               string               `json:"where"`
}

// input is the case as this package takes it.
func (c clientCase) input() Input {
	cluster := c.Config.Clone()
	for option, port := range map[string]string{
		key.BlobPort.Key: "6124", key.TaskManagerPort.Key: "6122", key.RestBindPort.Key: "8081",
	} {
		if value, set := cluster[option]; value == "0" || !set && option != key.RestBindPort.Key {
			cluster[option] = port
		}
	}
	cluster.SetDefault(key.TaskManagerProcessMemory, "2 gb") // not looked at by the part of the client that makes objects
	effective := cluster.Clone()
	effective.Set(key.JMStartupProbeEnabled, "false") // the probe is the operator's, not the client's
	spec := v1beta1.FlinkDeploymentSpec{
		FlinkVersion: v1beta1.FlinkV1_20,
		JobManager:   &v1beta1.JobManagerSpec{PodTemplate: c.JobManagerTemplate},
		TaskManager:  &v1beta1.TaskManagerSpec{PodTemplate: c.TaskManagerTemplate},
	}
	if c.Config.Get(key.Target) == flinkconf.TargetApplication {
		spec.Job = &v1beta1.JobSpec{}
	}
	files := map[string][]byte{}
	for name, content := range c.Kerberos {
		files["/srv/kerberos/"+name] = []byte(content)
	}
	return Input{
		Namespace: "ns", Name: "demo", UID: "u", Spec: spec, LogFiles: c.Logs, HadoopFiles: c.Hadoop, KerberosFiles: files,
		Config: flinkconf.Deployed{Effective: effective, Cluster: cluster},
	}
}

// TestClient compares with what Flink's own Kubernetes client makes.
func TestClient(t *testing.T) {
	files, err := filepath.Glob("testdata/client/*.yaml")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d cases: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			test := clientCase{}
			unmarshal(t, readFile(t, file), &test)
			got, err := MakeCluster(test.input())
			if test.Refused != "" {
				checkRefused(t, err, test)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			compareWithClient(t, test, got)
		})
	}
}

func checkRefused(t *testing.T, err error, test clientCase) {
	t.Helper()
	var spec *SpecError
	var value *conf.ValueError
	if !errors.As(err, &spec) && !errors.As(err, &value) {
		t.Fatalf("got error %v; the client says %s", err, test.Refused)
	}
	if !strings.Contains(err.Error(), test.Where) {
		t.Errorf("error %q does not name %s", err, test.Where)
	}
}

func compareWithClient(t *testing.T, test clientCase, got Cluster) {
	t.Helper()
	objects := []metav1.Object{got.JobManager}
	for _, service := range got.Services {
		objects = append(objects, service)
	}
	byName := map[string]metav1.Object{}
	for _, configMap := range got.ConfigMaps {
		byName["ConfigMap/"+configMap.Name] = configMap
		delete(configMap.Data, "flink-conf.yaml")
	}
	for _, secret := range got.Secrets {
		byName["Secret/"+secret.Name] = secret
	}
	if len(objects)+len(byName) != len(test.Objects) {
		t.Errorf("%d objects, want %d", len(objects)+len(byName), len(test.Objects))
	}
	for _, text := range test.Objects {
		want, id := decode(t, text)
		object, there := byName[id]
		if !there && len(objects) > 0 { // Deployment and Services keep their order
			object, objects = objects[0], objects[1:]
		}
		object.SetOwnerReferences(nil)
		object.SetNamespace("")
		asJSON(t, want)
		asJSON(t, object)
		if diff := cmp.Diff(want, object, cmpopts.EquateEmpty(), anyOrder); diff != "" {
			t.Errorf("%s differs from the client's (-want +got):\n%s", id, diff)
		}
	}
}

// decode reads an object of one of the kinds that the client makes.
// anyOrder compares volumes and environment variables by name: the client has them in the order of Java's HashMap.
var anyOrder = cmp.Options{
	cmpopts.SortSlices(func(a, b corev1.Volume) bool { return a.Name < b.Name }),
	cmpopts.SortSlices(func(a, b corev1.VolumeMount) bool { return a.MountPath < b.MountPath }),
	cmpopts.SortSlices(func(a, b corev1.EnvVar) bool { return a.Name < b.Name }),
}

// asJSON respells a pod template in a ConfigMap, whose style has no meaning.
func asJSON(t *testing.T, object metav1.Object) {
	t.Helper()
	configMap, is := object.(*corev1.ConfigMap)
	if !is || configMap.Data[podtemplate.FileName] == "" {
		return
	}
	text, err := yaml.YAMLToJSON([]byte(configMap.Data[podtemplate.FileName]))
	if err != nil {
		t.Fatal(err)
	}
	configMap.Data[podtemplate.FileName] = string(text)
}

func decode(t *testing.T, text []byte) (object metav1.Object, id string) {
	t.Helper()
	meta := metav1.PartialObjectMetadata{}
	unmarshal(t, text, &meta)
	switch meta.Kind {
	case "Deployment":
		object = &appsv1.Deployment{}
	case "Service":
		object = &corev1.Service{}
	case "ConfigMap":
		object = &corev1.ConfigMap{}
	case "Secret":
		object = &corev1.Secret{}
	default:
		t.Fatalf("kind %q", meta.Kind)
	}
	unmarshal(t, text, object)
	if service, is := object.(*corev1.Service); is {
		for i := range service.Spec.Ports { // the API server fills in the same
			if port := &service.Spec.Ports[i]; port.TargetPort.IntVal == 0 {
				port.TargetPort.IntVal = port.Port
			}
		}
	}
	return object, meta.Kind + "/" + meta.Name
}
