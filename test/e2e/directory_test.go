//go:build e2e

package e2e

import (
	"context"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/test/watch"
)

// directory makes the hostPath of examples/checkpoint-ha.yaml on the node, for a cluster of one node.
const directory = `
apiVersion: v1
kind: Pod
metadata: {generateName: make-directory-}
spec:
  restartPolicy: Never
  containers:
  - name: make
    image: flink:2.2
    command: [/bin/sh, -c, "mkdir -p /node/flink && chown 9999:9999 /node/flink"]
    securityContext: {runAsUser: 0}
    volumeMounts: [{name: node, mountPath: /node}]
  volumes: [{name: node, hostPath: {path: /tmp}}]
`

func makeDirectory(t *testing.T) {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(directory), &u.Object); err != nil {
		t.Fatal(err)
	}
	u, err := kube.in(pods, space).Create(t.Context(), u, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := kube.in(pods, space).Delete(context.Background(), u.GetName(), metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	w := kube.watch(watch.Deadline(t, 2*time.Minute), t, pods, space, "metadata.name="+u.GetName(), "")
	w.Until("has made the directory", func(o watch.Object) (bool, string) {
		if o.Unstructured == nil {
			return false, "no pod"
		}
		return watch.Text(
			o.Unstructured, "status", "phase",
		) == "Succeeded", "phase " + watch.Text(o.Unstructured, "status", "phase")
	})
}
