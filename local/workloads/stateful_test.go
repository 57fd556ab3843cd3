//go:build nightly

package workloads

import (
	"context"
	"crypto/tls"
	"net/http"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/life"
)

// fresh has Flink tell a job's counters at once, as strings.NewReplacer takes it.
var fresh = []string{
	"  flinkConfiguration:\n", "  flinkConfiguration:\n    metrics.fetcher.update-interval: \"1000\"\n",
}

// onVolume is fresh, with a directory in the place of an example's hostPath. It is at the same place in the pods as
// here: a path in a request to Flink, such as that of a savepoint, is not translated.
func onVolume(dir string) []string {
	return append([]string{"/tmp/flink", dir, "/flink-data", dir}, fresh...)
}

// stateful is the job of an example, whose counters judge what became of its state. Trust is for https; nil: http.
func stateful(name string, trust *tls.Config) *life.Life {
	scheme := "http"
	if trust != nil {
		scheme = "https"
	}
	flink := http.Client{Transport: &http.Transport{
		DialContext: local.Node().DialContext, DisableKeepAlives: true, TLSClientConfig: trust,
	}}
	return &life.Life{
		Client: ns.Objects, Namespace: ns.Name, Name: name, Kill: kill,
		Diagnose: func(t *testing.T) { t.Logf("%+v, %v", ns.Seen(t.Context(), name), ns.Conditions(t, name)) },
		Flink:    life.At(&flink, scheme+"://"+name+"-rest."+ns.Name+".svc:8081"),
	}
}

// kill ends the processes of a pod by SIGKILL, and then the pod.
func kill(ctx context.Context, pod *unstructured.Unstructured) error {
	local.Node().Kill(pod.GetUID())
	return life.Delete(ns.Objects)(ctx, pod)
}
