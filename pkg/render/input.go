package render

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

// Input is what a cluster's objects are made from. It is not changed.
type Input struct {
	// Namespace of the FlinkDeployment and of every object.
	Namespace string
	// Name of the FlinkDeployment; it is the cluster id (kubernetes.cluster-id).
	Name string
	// UID of the FlinkDeployment, for the owner reference of the Deployment.
	UID types.UID
	// Spec is the target: the spec to deploy, which need not be the newest one.
	Spec v1beta1.FlinkDeploymentSpec
	// Config is what flinkconf.Deploy composed for Spec, with this Namespace, Name, UID and Generation. Its Effective
	// part has the operator's options that shape the pod templates; its Cluster part is what the ConfigMap says.
	Config flinkconf.Deployed
	// Operation is the value of the annotation v1beta1.AnnotationOperation on every object; empty means no annotation.
	Operation string
	// LogFiles are the operator's default log configuration files by name. They count when spec.logConfiguration is
	// nil. Only log4j-console.properties and logback-console.xml are used.
	LogFiles map[string]string
	// HadoopFiles are core-site.xml and hdfs-site.xml of the operator's own HADOOP_CONF_DIR; nil when it has none. They
	// count when kubernetes.hadoop.conf.config-map.name is not set.
	HadoopFiles map[string]string
	// KerberosFiles are the operator's files that the options security.kerberos.login.keytab and
	// security.kerberos.krb5-conf.path name, by that path; nil when there are none.
	KerberosFiles map[string][]byte
}

// Cluster is every object of a start, in the order of creation: the JobManager's Deployment first, then the Services,
// the ConfigMaps and Secrets, then the TaskManagers' Deployment. Within a list the order is that of Flink's client.
type Cluster struct {
	// JobManager is the Deployment with the wanted replicas; the caller creates it with 0 and releases it later.
	JobManager *appsv1.Deployment
	// TaskManager is the Deployment of a standalone cluster's TaskManagers, with the wanted replicas, too; nil in native
	// mode, where the JobManager makes their pods.
	TaskManager *appsv1.Deployment
	// Services are the internal one (in native mode only without high availability) and the REST one.
	Services []*corev1.Service
	// ConfigMaps are Hadoop's and krb5.conf (when made), the Flink configuration, and in native mode the TaskManagers' pod
	// template (when there is one).
	ConfigMaps []*corev1.ConfigMap
	// Secrets is the Kerberos keytab; nil without one.
	Secrets []*corev1.Secret
	// Notes are for the user: what is made as asked but will not work as it stands. In the order of Flink's client.
	Notes []string
}

// Deployments are the JobManager's and, in standalone mode, the TaskManagers': what a start prepares and releases.
func (c Cluster) Deployments() []*appsv1.Deployment {
	all := []*appsv1.Deployment{c.JobManager}
	if c.TaskManager != nil {
		all = append(all, c.TaskManager)
	}
	return all
}

// OwnedBy returns a copy of the cluster in which the JobManager's Deployment of that UID owns all other objects, so
// that they go with it; the Java operator's Deployment of TaskManagers belongs to the resource instead (ADR 43). The
// JobManager's Deployment is the same object as before.
func (c Cluster) OwnedBy(deployment types.UID) Cluster {
	yes := true
	owners := func() []metav1.OwnerReference {
		return []metav1.OwnerReference{{
			APIVersion: appsv1.SchemeGroupVersion.String(), Kind: kindDeployment, Name: c.JobManager.Name, UID: deployment,
			Controller: &yes, BlockOwnerDeletion: &yes,
		}}
	}
	owned := Cluster{JobManager: c.JobManager, Notes: slices.Clone(c.Notes)}
	for _, service := range c.Services {
		service = service.DeepCopy()
		service.OwnerReferences = owners()
		owned.Services = append(owned.Services, service)
	}
	for _, configMap := range c.ConfigMaps {
		configMap = configMap.DeepCopy()
		configMap.OwnerReferences = owners()
		owned.ConfigMaps = append(owned.ConfigMaps, configMap)
	}
	if c.TaskManager != nil {
		owned.TaskManager = c.TaskManager.DeepCopy()
		owned.TaskManager.OwnerReferences = owners()
	}
	for _, secret := range c.Secrets {
		secret = secret.DeepCopy()
		secret.OwnerReferences = owners()
		owned.Secrets = append(owned.Secrets, secret)
	}
	return owned
}
