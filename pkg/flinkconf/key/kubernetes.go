package key

import "github.com/kn-flink/kn-flink/pkg/flinkconf/conf"

// Options that shape the Kubernetes objects of a cluster (KubernetesConfigOptions of Flink 1.20; newer ones are
// marked).
var (
	// ClusterID names the cluster and its objects. The operator sets it to the resource's name.
	ClusterID = optional(conf.KindString, "kubernetes.cluster-id")
	// Namespace is where the cluster's objects live. The operator sets it to the resource's namespace.
	Namespace = option(conf.KindString, "kubernetes.namespace", "default")
	// Image of the main container. Not set, pod template and image default decide. Before Flink 1.17 only the fallback is
	// known.
	Image = optional(conf.KindString, "kubernetes.container.image.ref", "kubernetes.container.image")
	// ImagePullPolicy of the main container.
	ImagePullPolicy = enum("kubernetes.container.image.pull-policy", "IfNotPresent", "Always", "Never")
	// ImagePullSecrets are names of Secrets.
	ImagePullSecrets = optional(conf.KindList, "kubernetes.container.image.pull-secrets")
	// ServiceAccount of all pods.
	ServiceAccount = option(conf.KindString, "kubernetes.service-account", "default")
	// JobManagerServiceAccount of JobManager pods.
	JobManagerServiceAccount = option(
		conf.KindString, "kubernetes.jobmanager.service-account", "default", "kubernetes.service-account",
	)
	// TaskManagerServiceAccount of TaskManager pods.
	TaskManagerServiceAccount = option(
		conf.KindString, "kubernetes.taskmanager.service-account", "default", "kubernetes.service-account",
	)
	// JobManagerReplicas is the number of JobManager pods; more than one needs high availability.
	JobManagerReplicas = option(conf.KindInt, "kubernetes.jobmanager.replicas", "1")
	// TaskManagerReplicas is the number of TaskManager pods of a standalone cluster.
	TaskManagerReplicas = option(conf.KindInt, "kubernetes.internal.taskmanager.replicas", "1")
	// ClusterMode of a standalone cluster.
	ClusterMode = enum("kubernetes.internal.cluster-mode", "APPLICATION", "SESSION")
	// JobManagerCPU is the CPU request in cores.
	JobManagerCPU = option(conf.KindFloat, "kubernetes.jobmanager.cpu.amount", "1.0", "kubernetes.jobmanager.cpu")
	// TaskManagerCPU is the CPU request in cores; the default stands for the number of slots.
	TaskManagerCPU = option(conf.KindFloat, "kubernetes.taskmanager.cpu.amount", "-1.0", "kubernetes.taskmanager.cpu")
	// JobManagerCPULimitFactor times the request is the limit.
	JobManagerCPULimitFactor = option(conf.KindFloat, "kubernetes.jobmanager.cpu.limit-factor", "1.0")
	// TaskManagerCPULimitFactor times the request is the limit.
	TaskManagerCPULimitFactor = option(conf.KindFloat, "kubernetes.taskmanager.cpu.limit-factor", "1.0")
	// JobManagerMemoryLimitFactor times the request is the limit.
	JobManagerMemoryLimitFactor = option(conf.KindFloat, "kubernetes.jobmanager.memory.limit-factor", "1.0")
	// TaskManagerMemoryLimitFactor times the request is the limit.
	TaskManagerMemoryLimitFactor = option(conf.KindFloat, "kubernetes.taskmanager.memory.limit-factor", "1.0")
	// JobManagerLabels of Deployment and pods.
	JobManagerLabels = optional(conf.KindMap, "kubernetes.jobmanager.labels")
	// TaskManagerLabels of the pods.
	TaskManagerLabels = optional(conf.KindMap, "kubernetes.taskmanager.labels")
	// JobManagerAnnotations of Deployment and pods. The operator adds the generation to them.
	JobManagerAnnotations = optional(conf.KindMap, "kubernetes.jobmanager.annotations")
	// TaskManagerAnnotations of the pods.
	TaskManagerAnnotations = optional(conf.KindMap, "kubernetes.taskmanager.annotations")
	// JobManagerNodeSelector of the pods.
	JobManagerNodeSelector = optional(conf.KindMap, "kubernetes.jobmanager.node-selector")
	// TaskManagerNodeSelector of the pods.
	TaskManagerNodeSelector = optional(conf.KindMap, "kubernetes.taskmanager.node-selector")
	// JobManagerTolerations of the pods: key, operator, value, effect, tolerationSeconds.
	JobManagerTolerations = optional(conf.KindMapList, "kubernetes.jobmanager.tolerations")
	// TaskManagerTolerations of the pods: key, operator, value, effect, tolerationSeconds.
	TaskManagerTolerations = optional(conf.KindMapList, "kubernetes.taskmanager.tolerations")
	// JobManagerOwnerReference is the owner of the JobManager Deployment: apiVersion, kind, name, uid, controller,
	// blockOwnerDeletion.
	JobManagerOwnerReference = optional(conf.KindMapList, "kubernetes.jobmanager.owner.reference")
	// JobManagerEntrypointArgs are added to the JobManager's command line, unquoted.
	JobManagerEntrypointArgs = option(conf.KindString, "kubernetes.jobmanager.entrypoint.args", "")
	// TaskManagerEntrypointArgs are added to the TaskManagers' command line, unquoted.
	TaskManagerEntrypointArgs = option(conf.KindString, "kubernetes.taskmanager.entrypoint.args", "")
	// JobManagerEntrypointClass is the main class of a native cluster. The client sets it.
	JobManagerEntrypointClass = optional(conf.KindString, "kubernetes.internal.jobmanager.entrypoint.class")
	// RestServiceExposedType is the type of the REST Service. Flink's default is ClusterIP too.
	RestServiceExposedType = enum(
		"kubernetes.rest-service.exposed.type", "ClusterIP", "NodePort", "LoadBalancer", "Headless_ClusterIP",
	)
	// RestServiceNodePortAddressType says which address of a node a client outside uses.
	RestServiceNodePortAddressType = enum(
		"kubernetes.rest-service.exposed.node-port-address-type", "InternalIP", "ExternalIP",
	)
	// RestServiceAnnotations of the REST Service.
	RestServiceAnnotations = optional(conf.KindMap, "kubernetes.rest-service.annotations")
	// RestServiceLabels of the REST Service (Flink 2.2).
	RestServiceLabels = optional(conf.KindMap, "kubernetes.rest-service.labels")
	// InternalServiceAnnotations of the internal Service.
	InternalServiceAnnotations = optional(conf.KindMap, "kubernetes.internal-service.annotations")
	// InternalServiceLabels of the internal Service (Flink 2.2).
	InternalServiceLabels = optional(conf.KindMap, "kubernetes.internal-service.labels")
	// EntryPath is the command of the main containers.
	EntryPath = option(conf.KindString, "kubernetes.entry.path", "/docker-entrypoint.sh")
	// ConfDir is where the configuration is mounted.
	ConfDir = option(conf.KindString, "kubernetes.flink.conf.dir", "/opt/flink/conf")
	// LogDir is the log directory in the containers; unset leaves it to the image.
	LogDir = optional(conf.KindString, "kubernetes.flink.log.dir")
	// PodTemplateFile is the template for all pods.
	PodTemplateFile = optional(conf.KindString, "kubernetes.pod-template-file.default", "kubernetes.pod-template-file")
	// JobManagerPodTemplateFile is the template for JobManager pods. The operator sets it when there is a template.
	JobManagerPodTemplateFile = optional(conf.KindString, "kubernetes.pod-template-file.jobmanager",
		"kubernetes.pod-template-file", "kubernetes.pod-template-file.default")
	// TaskManagerPodTemplateFile is the template for TaskManager pods. The operator sets it when there is a template.
	TaskManagerPodTemplateFile = optional(conf.KindString, "kubernetes.pod-template-file.taskmanager",
		"kubernetes.pod-template-file", "kubernetes.pod-template-file.default")
	// Secrets to mount: name and path.
	Secrets = optional(conf.KindMap, "kubernetes.secrets")
	// EnvSecretKeyRef sets environment variables from Secrets: env, secret, key.
	EnvSecretKeyRef = optional(conf.KindMapList, "kubernetes.env.secretKeyRef")
	// HadoopConfConfigMap is an existing ConfigMap with Hadoop's configuration.
	HadoopConfConfigMap = optional(conf.KindString, "kubernetes.hadoop.conf.config-map.name")
	// HadoopConfMountEnabled mounts Hadoop's configuration (Flink 1.17).
	HadoopConfMountEnabled = option(conf.KindBool, "kubernetes.decorator.hadoop-conf-mount.enabled", "true")
	// KerberosMountEnabled mounts keytab and krb5.conf (Flink 1.17).
	KerberosMountEnabled = option(conf.KindBool, "kubernetes.decorator.kerberos-mount.enabled", "true")
	// HostNetworkEnabled runs the pods in the network of their node.
	HostNetworkEnabled = option(conf.KindBool, "kubernetes.hostnetwork.enabled", "false")
	// NodeNameLabel is the label that names a node.
	NodeNameLabel = option(conf.KindString, "kubernetes.node-name-label", "kubernetes.io/hostname")
	// KubeConfigFile is the client's kubeconfig; it never reaches the cluster.
	KubeConfigFile = optional(conf.KindString, "kubernetes.config.file")
	// KubeContext is the client's context in that file.
	KubeContext = optional(conf.KindString, "kubernetes.context")
	// PersistentVolumeClaims to mount: name and path (Flink 2.3).
	PersistentVolumeClaims = optional(conf.KindMap, "kubernetes.persistent-volume-claims")
	// PersistentVolumeClaimReadOnly mounts them read-only (Flink 2.3).
	PersistentVolumeClaimReadOnly = option(conf.KindBool, "kubernetes.persistent-volume-claim-read-only", "false")
	// UserArtifactsBaseDir is where remote jars are put in the pods (Flink 1.19).
	UserArtifactsBaseDir = option(conf.KindString, "user.artifacts.base-dir", "/opt/flink/artifacts")
	// LocalUploadEnabled uploads the client's local jars (Flink 1.20).
	LocalUploadEnabled = option(conf.KindBool, "kubernetes.artifacts.local-upload-enabled", "false")
)

// Prefixes of environment variables for the main containers: prefix, then the variable's name.
const (
	// JobManagerEnvPrefix is for JobManager containers.
	JobManagerEnvPrefix = "containerized.master.env."
	// TaskManagerEnvPrefix is for TaskManager containers.
	TaskManagerEnvPrefix = "containerized.taskmanager.env."
)
