package platform

import (
	"context"
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/test/life"
)

// kill ends the processes of a pod by SIGKILL, so that nothing in it can finish what it does, and then the pod: the
// kubelet would wait longer and longer before it starts the same one again.
func kill(ctx context.Context, pod *unstructured.Unstructured) error {
	local.Node().Kill(pod.GetUID())
	return life.Delete(objects)(ctx, pod)
}

// TestStateIsCarriedOver: a job with state goes through upgrades and a rollback, with its functions and its JobManager
// killed on the way. The cluster's tests have the other chapters.
//
// The volume is at the same place in its pods as here: a path in a request to Flink, such as that of a savepoint, is
// not translated.
func TestStateIsCarriedOver(t *testing.T) {
	const name = "life"
	data := t.TempDir()
	made := ns.Example(t, "checkpoint-ha.yaml", "/tmp/flink", data, "/flink-data", data)
	made.SetName(name)
	life.Ready(t, made)
	if _, err := ns.Deployments().Create(
		t.Context(), made, metav1.CreateOptions{},
	); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !t.Failed() { // the logs of its pods go with it
			ns.Remove(t, name)
		}
	})
	flink := http.Client{Transport: &http.Transport{DialContext: local.Node().DialContext, DisableKeepAlives: true}}
	job := &life.Life{
		Client: objects, Namespace: namespace, Name: name, Kill: kill,
		Diagnose: func(t *testing.T) {
			is, err := ns.Deployments().Get(t.Context(), name, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			status, err := yaml.Marshal(is.Object["status"])
			t.Logf("%s%v", status, err)
		},
		Flink: life.At(&flink, "http://"+name+"-rest."+namespace+".svc:8081"),
	}
	job.Run(t, life.SavepointFunctionsKilled, life.LastStateJobManagerKilled, life.NextVersion, life.RolledBack)
}
