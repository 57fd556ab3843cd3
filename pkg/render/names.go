package render

import (
	"fmt"
	"regexp"
	"strings"
)

// The names of a cluster's objects, by cluster id (the name of the FlinkDeployment). An id has at most MaxClusterID
// characters, so none of them is longer than the 63 that a label value or a Service name may have.

// MaxClusterID is the longest cluster id that Flink's Kubernetes client accepts
// (Constants.MAXIMUM_CHARACTERS_OF_CLUSTER_ID).
const MaxClusterID = 45

// maxLabel is the longest name of a Service, a volume or a label value (RFC 1123 label).
const maxLabel = 63

var clusterID = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)

// checkClusterID says what is wrong with a cluster id.
func checkClusterID(id string) error {
	if len(id) > MaxClusterID || !clusterID.MatchString(id) {
		return &SpecError{
			Where: "metadata.name", Value: id,
			Problem: fmt.Sprintf(
				"must be at most %d of a-z, 0-9 and -, start with a letter and end with a letter or digit", MaxClusterID,
			),
		}
	}
	return nil
}

// DeploymentName is the JobManager's Deployment.
func DeploymentName(id string) string { return id }

// TaskManagerDeploymentName is the Deployment of a standalone cluster's TaskManagers.
func TaskManagerDeploymentName(id string) string { return id + "-taskmanager" }

// InternalServiceName is the headless Service that TaskManagers find the JobManager by. A native cluster with high
// availability has none.
func InternalServiceName(id string) string { return id }

// RestServiceName is the Service of the REST endpoint and the web interface.
func RestServiceName(id string) string { return id + "-rest" }

// ConfigMapName holds the Flink configuration and the log configuration.
func ConfigMapName(id string) string { return "flink-config-" + id }

// PodTemplateName is the ConfigMap with the TaskManagers' pod template.
func PodTemplateName(id string) string { return "pod-template-" + id }

// HadoopConfigName is the ConfigMap with the Hadoop configuration.
func HadoopConfigName(id string) string { return "hadoop-config-" + id }

// KeytabName is the Secret with the Kerberos keytab.
func KeytabName(id string) string { return "kerberos-keytab-" + id }

// Krb5ConfName is the ConfigMap with krb5.conf.
func Krb5ConfName(id string) string { return "kerberos-krb5conf-" + id }

// IngressName is the Ingress, for a FlinkDeployment and for a FlinkBlueGreenDeployment alike.
func IngressName(name string) string { return name }

// The ConfigMaps of Kubernetes high availability are written by Flink itself, without an owner.

// ClusterHighAvailabilityName is the ConfigMap with the leaders and the job graphs or execution plans.
func ClusterHighAvailabilityName(id string) string { return id + clusterConfigMapSuffix }

// JobHighAvailabilityName is the ConfigMap with the checkpoints of one job.
func JobHighAvailabilityName(id, jobID string) string { return id + "-" + jobID + configMapSuffix }

const (
	configMapSuffix        = "-config-map"
	clusterConfigMapSuffix = "-cluster-config-map"
	oldJobLeaderSuffix     = "-jobmanager-leader"
)

// HoldsCheckpoints tells from the name of a high availability ConfigMap whether it is one that keeps the checkpoints of
// a job: <id>-<jobid>-config-map, or <id>-<jobid>-jobmanager-leader of the older services of Flink 1.15.
func HoldsCheckpoints(name string) bool {
	if strings.HasSuffix(name, oldJobLeaderSuffix) {
		return true
	}
	return strings.HasSuffix(name, configMapSuffix) && !strings.HasSuffix(name, clusterConfigMapSuffix)
}

// JobOfHighAvailability is the ID of the job whose checkpoints a high availability ConfigMap keeps; empty when its name
// has none.
func JobOfHighAvailability(name string) string {
	if !HoldsCheckpoints(name) {
		return ""
	}
	name = strings.TrimSuffix(strings.TrimSuffix(name, oldJobLeaderSuffix), configMapSuffix)
	if at := strings.LastIndex(name, "-"); len(name)-at-1 == jobIDLength {
		return name[at+1:]
	}
	return ""
}

// planPrefix starts the data keys that hold what is to run from Flink 2.0 on.
const planPrefix = "executionPlan-"

// jobGraphPrefixes start the data keys that hold what is to run: jobGraph- before Flink 2.0, executionPlan- since.
var jobGraphPrefixes = []string{"jobGraph-", planPrefix}

// IsPlan reports whether a data key holds what Flink 2.0 and later run.
func IsPlan(key string) bool { return strings.HasPrefix(key, planPrefix) }

// JobOfGraph is the ID of the job that a data key of a high availability ConfigMap holds the graph of; empty when it
// holds none.
func JobOfGraph(key string) string {
	for _, prefix := range jobGraphPrefixes {
		if id, is := strings.CutPrefix(key, prefix); is {
			return id
		}
	}
	return ""
}

// jobIDLength is that of a job's ID in Flink's form.
const jobIDLength = 32
