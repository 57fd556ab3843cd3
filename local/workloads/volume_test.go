//go:build nightly

package workloads

import (
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/test/life"
)

// TestStateIsOnAPersistentVolume: a job keeps its state on a volume that it claims, and finds it there after an upgrade.
func TestStateIsOnAPersistentVolume(t *testing.T) {
	const name, claim = "persistent-volume-claim", "persistent-volume-claim-state"
	dir := t.TempDir()
	ns.Make(t, "", &corev1.PersistentVolume{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolume"}, ObjectMeta: metav1.ObjectMeta{Name: claim},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:    corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("10Gi")},
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				HostPath: &corev1.HostPathVolumeSource{Path: dir},
			},
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
		},
	})
	ns.Apply(t, ns.File(t, name+".yaml", onVolume(dir)...)...)
	stateful(name, nil).Run(t, life.Upgraded("savepoint"))
	for _, part := range []string{"ha", "checkpoints", "savepoints"} {
		if is, err := os.ReadDir(filepath.Join(dir, part)); err != nil || len(is) == 0 {
			t.Errorf("%s on the volume: %v, %v", part, is, err)
		}
	}
	ns.Remove(t, name)
	is, err := ns.Client.CoreV1().PersistentVolumeClaims(ns.Name).Get(t.Context(), claim, metav1.GetOptions{})
	if err != nil || is.Status.Phase != corev1.ClaimBound {
		t.Errorf("the job is deleted, and its claim is %q, %v", is.Status.Phase, err)
	}
}
