package conformance

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/test/kubesim"
)

// known are the resources of which tests look for what is left.
var known = []schema.GroupVersionResource{
	kubesim.FlinkDeployments, kubesim.Deployments, kubesim.ConfigMaps, kubesim.Secrets,
}

func object(apiVersion, kind, name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
	u.SetName(name)
	return u
}

func flink(kind, name string, spec map[string]any) *unstructured.Unstructured {
	u := object("flink.apache.org/v1beta1", kind, name)
	u.Object["spec"] = spec
	return u
}

func flinkDeployment(name string) *unstructured.Unstructured {
	return flink("FlinkDeployment", name, map[string]any{
		"image": "one", "flinkVersion": "v1_20", "serviceAccount": "flink",
		"jobManager":  map[string]any{"resource": map[string]any{"memory": "1g"}},
		"taskManager": map[string]any{"resource": map[string]any{"memory": "1g"}},
	})
}

func image(u *unstructured.Unstructured) string {
	text, _, _ := unstructured.NestedString(u.Object, "spec", "image")
	return text
}

func configMap(name string) *unstructured.Unstructured {
	u := object("v1", "ConfigMap", name)
	u.Object["data"] = map[string]any{"k": "v"}
	return u
}

// deployment has no replicas, so that its controller has nothing to do.
func deployment(name string) *unstructured.Unstructured {
	u := object("apps/v1", "Deployment", name)
	labels := func() map[string]any { return map[string]any{"app": name} }
	u.Object["spec"] = map[string]any{
		"replicas": int64(0), "selector": map[string]any{"matchLabels": labels()},
		"template": map[string]any{"metadata": map[string]any{"labels": labels()}, "spec": podSpec()},
	}
	return u
}

// replicaSet has no replicas, either.
func replicaSet(name string) *unstructured.Unstructured {
	u := deployment(name)
	u.SetKind("ReplicaSet")
	return u
}

func podSpec() map[string]any {
	return map[string]any{"containers": []any{map[string]any{"name": "main", "image": "one"}}}
}

func pod(name, node string) *unstructured.Unstructured {
	u := object("v1", "Pod", name)
	u.Object["spec"] = podSpec()
	if node != "" {
		u.Object["spec"].(map[string]any)["nodeName"] = node
	}
	return u
}

func event(name string) *unstructured.Unstructured {
	u := object("v1", "Event", name)
	u.Object["involvedObject"] = map[string]any{"kind": "Pod", "name": "p", "uid": "u1"}
	return u
}

// owned adds an owner.
func owned(u, owner *unstructured.Unstructured, block bool) *unstructured.Unstructured {
	u.SetOwnerReferences(append(u.GetOwnerReferences(), metav1.OwnerReference{
		APIVersion: owner.GetAPIVersion(), Kind: owner.GetKind(), Name: owner.GetName(), UID: owner.GetUID(),
		BlockOwnerDeletion: &block,
	}))
	return u
}

// held adds a finalizer that only a test takes away.
func held(u *unstructured.Unstructured) *unstructured.Unstructured {
	u.SetFinalizers([]string{"example.com/held"})
	return u
}

const letGo = `{"metadata":{"finalizers":null}}`

// samples has one object of every kind that is modelled, with a status where a client might send one.
func samples(namespace string) map[schema.GroupVersionResource]*unstructured.Unstructured {
	snapshot := flink("FlinkStateSnapshot", "a", map[string]any{
		"savepoint": map[string]any{"path": "s3://x", "alreadyExists": true},
	})
	sessionJob := flink("FlinkSessionJob", "a", map[string]any{
		"deploymentName": "b", "job": map[string]any{"jarURI": "https://example.com/j.jar", "parallelism": int64(1)},
	})
	blueGreen := flink("FlinkBlueGreenDeployment", "a", map[string]any{
		"template": map[string]any{"spec": flinkDeployment("a").Object["spec"]},
	})
	service := object("v1", "Service", "a")
	service.Object["spec"] = map[string]any{"clusterIP": "None", "ports": []any{map[string]any{"port": int64(80)}}}
	ingress := object("networking.k8s.io/v1", "Ingress", "a")
	ingress.Object["spec"] = map[string]any{"defaultBackend": map[string]any{
		"service": map[string]any{"name": "a", "port": map[string]any{"number": int64(80)}},
	}}
	lease := object("coordination.k8s.io/v1", "Lease", "a")
	lease.Object["spec"] = map[string]any{"holderIdentity": "me"}
	ping := object("sources.knative.dev/v1", "PingSource", "a")
	ping.Object["spec"] = map[string]any{"schedule": "* * * * *"}
	revision := object("apps/v1", "ControllerRevision", "a")
	revision.Object["data"], revision.Object["revision"] = map[string]any{"k": "v"}, int64(1)
	event := event("a")
	event.Object["involvedObject"].(map[string]any)["namespace"] = namespace
	return map[schema.GroupVersionResource]*unstructured.Unstructured{
		kubesim.FlinkDeployments: flinkDeployment("a"), kubesim.FlinkSessionJobs: sessionJob,
		kubesim.FlinkStateSnapshots: snapshot, kubesim.FlinkBlueGreenDeployments: blueGreen,
		kubesim.Deployments: deployment("a"), kubesim.ReplicaSets: replicaSet("a"), kubesim.Pods: pod("a", ""),
		kubesim.Services: service, kubesim.ConfigMaps: configMap("a"), kubesim.Secrets: object("v1", "Secret", "a"),
		kubesim.Events: event, kubesim.ServiceAccounts: object("v1", "ServiceAccount", "a"),
		kubesim.Revisions: revision, kubesim.Ingresses: ingress, kubesim.Leases: lease, kubesim.PingSources: ping,
	}
}
