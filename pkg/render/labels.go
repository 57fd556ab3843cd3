package render

import (
	"maps"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// The labels that Flink puts on the objects of a cluster and finds them by. A user's own labels never replace them.
const (
	// LabelApp carries the cluster id.
	LabelApp = "app"
	// LabelType carries TypeNative or TypeStandalone.
	LabelType = "type"
	// LabelComponent carries one of the Component values; objects that belong to no pod have none.
	LabelComponent = "component"

	// TypeNative marks the objects of a native cluster, and the high availability ConfigMaps of every cluster.
	TypeNative = "flink-native-kubernetes"
	// TypeStandalone marks the objects of a standalone cluster.
	TypeStandalone = "flink-standalone-kubernetes"

	// ComponentJobManager marks the JobManager's Deployment and pods.
	ComponentJobManager = "jobmanager"
	// ComponentTaskManager marks the TaskManagers' pods.
	ComponentTaskManager = "taskmanager"
	// ComponentAutoscaler marks the ConfigMap with the autoscaler's history, which is no high availability data although
	// it carries the cluster's label.
	ComponentAutoscaler = "autoscaler"
	// ComponentIngress marks the Ingress.
	ComponentIngress = "ingress"
)

// ClusterLabels are on every object of a cluster in this mode, but for the high availability ConfigMaps of a standalone
// one: those are written by Flink itself, with TypeNative.
func ClusterLabels(id string, mode v1beta1.Mode) map[string]string {
	labels := map[string]string{LabelApp: id, LabelType: TypeNative}
	if mode == v1beta1.ModeStandalone {
		labels[LabelType] = TypeStandalone
	}
	return labels
}

// componentLabels select the pods of one component.
func componentLabels(id string, mode v1beta1.Mode, component string) map[string]string {
	labels := ClusterLabels(id, mode)
	labels[LabelComponent] = component
	return labels
}

// PodSelector is the label selector, in the text form of the Kubernetes API, of a cluster's pods of these components.
func PodSelector(id string, components ...string) string {
	return LabelApp + "=" + id + "," + LabelComponent + " in (" + strings.Join(components, ",") + ")"
}

// TaskManagerSelector is the label selector of a cluster's TaskManager pods, in the text and order of
// status.taskManager.labelSelector.
func TaskManagerSelector(id string) string {
	return LabelComponent + "=" + ComponentTaskManager + "," + LabelApp + "=" + id
}

// ClusterSelector is the label selector of everything that a native cluster consists of, high availability data
// included.
func ClusterSelector(id string) string {
	return LabelApp + "=" + id + "," + LabelType + "=" + TypeNative
}

// StandaloneSelector is the label selector of everything that a standalone cluster consists of, but for its high
// availability data, which Flink labels as a native cluster's.
func StandaloneSelector(id string) string {
	return LabelApp + "=" + id + "," + LabelType + "=" + TypeStandalone
}

// HighAvailabilitySelector is the label selector of a cluster's high availability ConfigMaps. It also finds the
// configuration, pod template and Hadoop ConfigMaps of a native cluster, so a reader has to look at the names or the
// keys. Flink 2 no longer sets the label configmap-type, so it is not asked for.
func HighAvailabilitySelector(id string) string {
	return ClusterSelector(id) + "," + LabelComponent + "!=" + ComponentAutoscaler
}

// overlay returns a new map: each map over those before it. It is nil when all are empty.
func overlay(layers ...map[string]string) map[string]string {
	var merged map[string]string
	for _, layer := range layers {
		if merged == nil && len(layer) > 0 {
			merged = map[string]string{}
		}
		maps.Copy(merged, layer)
	}
	return merged
}
