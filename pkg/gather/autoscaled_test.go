package gather

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// A FlinkDeployment and a FlinkSessionJob of one name would share a store: it is the first one's, and the other is
// told.
func TestAStoreIsItsOwners(t *testing.T) {
	of := &v1beta1.FlinkDeployment{ObjectMeta: metav1.ObjectMeta{Name: "etl", UID: "mine"}}
	for name, row := range map[string]struct {
		owner types.UID
		mine  bool
		why   string
	}{
		"its own":        {"mine", true, ""},
		"another one's":  {"other", false, "ConfigMap autoscaler-etl belongs to FlinkSessionJob etl: rename one of the two"},
		"without owners": {"", false, "ConfigMap autoscaler-etl belongs to no resource: rename one of the two"},
	} {
		object := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: "autoscaler-etl", UID: "u", ResourceVersion: "7"},
			Data:       map[string]string{"parallelismOverrides": "a:2"}, BinaryData: map[string][]byte{"kn-flink.samples": {1}},
		}
		if row.owner != "" {
			object.OwnerReferences = []metav1.OwnerReference{{Kind: "FlinkSessionJob", Name: "etl", UID: row.owner}}
		}
		got := storeOf(object, of)
		store, is := got.Get()
		if is != row.mine || got.Why() != row.why {
			t.Errorf("%s: there %t, %q", name, is, got.Why())
		}
		if is && (store.Version.ResourceVersion != "7" || len(store.Samples) != 1 || store.Parallelism()["a"] != "2") {
			t.Errorf("%s: read as %+v", name, store)
		}
	}
}
