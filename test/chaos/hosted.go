package chaos

import (
	"maps"
	"strings"
)

// ofTheJob are the prefixes of the options that a session job has itself; all others are its cluster's.
var ofTheJob = []string{
	"execution.", "restart-strategy.", "kubernetes.operator.job.", "kubernetes.operator.periodic.",
	"kubernetes.operator.snapshot.", "kubernetes.operator.deployment.",
}

// Objects are the specs of a session cluster and of its job, which is on the cluster of this name.
func (r *Resource) Objects(cluster string) (clusterSpec, jobSpec map[string]any) {
	clusterSpec, jobSpec = maps.Clone(r.Spec), map[string]any{"deploymentName": cluster}
	own, others := map[string]any{}, map[string]any{}
	for name, value := range r.configuration() {
		others[name] = value
		for _, prefix := range ofTheJob {
			if strings.HasPrefix(name, prefix) {
				own[name] = value
				delete(others, name)
			}
		}
	}
	job := maps.Clone(r.job())
	job["jarURI"] = r.place.Jars + r.jar()
	jobSpec["job"], jobSpec["flinkConfiguration"] = job, own
	if nonce, asked := r.Spec["restartNonce"]; asked {
		jobSpec["restartNonce"] = nonce
		delete(clusterSpec, "restartNonce")
	}
	clusterSpec["flinkConfiguration"] = others
	delete(clusterSpec, "job")
	return clusterSpec, jobSpec
}

// image is that of the version, also while a broken one is asked for.
func (r *Resource) image() string {
	if image := r.Spec["image"].(string); image != broken {
		return image
	}
	for _, v := range versions {
		if v.version == r.Spec["flinkVersion"] {
			return v.image
		}
	}
	return "flink:" + minorOf(r.Spec["flinkVersion"].(string))
}

// jar is the path of the job's jar below a directory of jars.
func (r *Resource) jar() string {
	return "/" + strings.TrimPrefix(r.image(), "flink:") + "/StateMachineExample.jar"
}
