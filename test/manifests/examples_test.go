package manifests

import (
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"knative.dev/pkg/apis"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

// finding is what admission says of an example, with the session clusters of its file.
func finding(t *testing.T, u *unstructured.Unstructured, clusters map[string]*v1beta1.FlinkDeployment) error {
	t.Helper()
	operator := flinkconf.NewOperator(nil)
	var found *apis.FieldError
	switch u.GetKind() {
	case v1beta1.KindFlinkDeployment:
		var d v1beta1.FlinkDeployment
		if err := kube.Typed(u, &d); err != nil {
			return err
		}
		clusters[d.Name] = &d
		found = validation.Deployment(validation.DeploymentInput{
			Namespace: "default", Name: d.Name, Labels: d.Labels, Spec: d.Spec, Operator: operator,
		})
	case v1beta1.KindFlinkSessionJob:
		var j v1beta1.FlinkSessionJob
		if err := kube.Typed(u, &j); err != nil {
			return err
		}
		if clusters[j.Spec.DeploymentName] == nil {
			t.Errorf("%s: its session cluster %q does not stand before it", j.Name, j.Spec.DeploymentName)
		}
		found = validation.SessionJob(validation.SessionJobInput{
			Spec: j.Spec, Cluster: clusters[j.Spec.DeploymentName], Operator: operator,
		})
	case v1beta1.KindFlinkStateSnapshot:
		var s v1beta1.FlinkStateSnapshot
		if err := kube.Typed(u, &s); err != nil {
			return err
		}
		found = validation.StateSnapshot(validation.StateSnapshotInput{Spec: s.Spec})
	case v1beta1.KindFlinkBlueGreenDeployment:
		var b v1beta1.FlinkBlueGreenDeployment
		if err := kube.Typed(u, &b); err != nil {
			return err
		}
		found = validation.BlueGreen(validation.BlueGreenInput{Name: b.Name, Spec: b.Spec})
	// What a pod of the example reads or acts as, and what Kubernetes and others do with it.
	case "ConfigMap", "Secret", "PersistentVolumeClaim", "HorizontalPodAutoscaler", "ServiceAccount":
	case "Certificate", "ExternalSecret": // test/schemas has their schemas
	default:
		t.Errorf("an example of kind %s", u.GetKind())
	}
	if found == nil {
		return nil
	}
	return found
}

// pages have the folders with examples, and the page that says what each of them shows.
var pages = map[string]string{"examples": "jobs/examples.md", "examples/cloud": "jobs/storage-and-identity.md"}

func TestEveryExampleIsValid(t *testing.T) {
	for folder := range pages {
		for file, objects := range files(t, "../../"+folder) {
			clusters := map[string]*v1beta1.FlinkDeployment{}
			for i := range objects {
				if err := finding(t, &objects[i], clusters); err != nil {
					t.Errorf("%s: %v", file, err)
				}
			}
		}
	}
}

func TestEveryExampleIsOnAPage(t *testing.T) {
	for folder, name := range pages {
		page, err := os.ReadFile("../../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for file := range files(t, "../../"+folder) {
			if !strings.Contains(string(page), "(../../"+folder+"/"+file+")") {
				t.Errorf("docs/%s does not say what %s/%s shows", name, folder, file)
			}
		}
	}
}

func TestEveryExampleNamesItself(t *testing.T) {
	for folder := range pages {
		for file, objects := range files(t, "../../"+folder) {
			name := strings.TrimSuffix(file, ".yaml")
			if objects[0].GetName() != name {
				t.Errorf("%s should begin with a resource of the same name", file)
			}
			for _, u := range objects[1:] {
				shared := u.GetKind() == "ServiceAccount" && u.GetName() == "flink"
				if !shared && !strings.HasPrefix(u.GetName(), name+"-") {
					t.Errorf("%s: the name of %s should begin with that of the file", file, u.GetName())
				}
			}
		}
	}
}
