package mesh

import (
	"context"
	"fmt"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/local/mesh/crds"
)

// installKinds makes the API server know Knative's kinds, and returns when it serves them.
func (m *Mesh) installKinds(ctx context.Context) error {
	client, err := clientset.NewForConfig(m.options.ControlPlane.Config())
	if err != nil {
		return err
	}
	definitions := client.ApiextensionsV1().CustomResourceDefinitions()
	for _, d := range crds.All() {
		if _, err := definitions.Create(ctx, d, metav1.CreateOptions{}); apierrors.IsAlreadyExists(err) {
			have, err := definitions.Get(ctx, d.Name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			have.Spec = d.Spec
			if _, err := definitions.Update(ctx, have, metav1.UpdateOptions{}); err != nil {
				return err
			}
		} else if err != nil {
			return err
		}
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for _, d := range crds.All() {
		for {
			have, err := definitions.Get(ctx, d.Name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			if established(have) {
				break
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return fmt.Errorf("%s is not served: %w", d.Name, ctx.Err())
			}
		}
	}
	return nil
}

func established(d *apiextensionsv1.CustomResourceDefinition) bool {
	for _, c := range d.Status.Conditions {
		if c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue {
			return true
		}
	}
	return false
}
