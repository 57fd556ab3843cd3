package key

import "github.com/kn-flink/kn-flink/pkg/flinkconf/conf"

// Options of Flink's processes, network and jobs.
var (
	// FlinkVersion is spec.flinkVersion, for those who read a composed configuration. The operator sets it.
	FlinkVersion = optional(conf.KindString, "$internal.flink.version")
	// ConfigDir is where the client takes log configuration from; it never reaches the cluster.
	ConfigDir = optional(conf.KindString, "$internal.deployment.config-dir")
	// FixedJobID is the ID of an application's job.
	FixedJobID = optional(conf.KindString, "$internal.pipeline.job-id")
	// ApplicationMain is the entry class.
	ApplicationMain = optional(conf.KindString, "$internal.application.main")
	// ApplicationArgs are the arguments of the main method.
	ApplicationArgs = optional(conf.KindList, "$internal.application.program-args")
	// ExecutionMode is NORMAL for a cluster that outlives its client. The client sets it, native mode only.
	ExecutionMode = optional(conf.KindString, "internal.cluster.execution-mode")
	// Target is kubernetes-application, kubernetes-session or remote.
	Target = optional(conf.KindString, "execution.target")
	// ShutdownOnApplicationFinish ends the JobManager with the job. The operator forces it off.
	ShutdownOnApplicationFinish = option(conf.KindBool, "execution.shutdown-on-application-finish", "true")
	// SubmitFailedJobOnApplicationError shows a failed job when main fails.
	SubmitFailedJobOnApplicationError = option(conf.KindBool, "execution.submit-failed-job-on-application-error", "false")
	// JobListeners are classes told about submissions.
	JobListeners = optional(conf.KindList, "execution.job-listeners")
	// DefaultParallelism of jobs.
	DefaultParallelism = option(conf.KindInt, "parallelism.default", "1")
	// PipelineName is the job's name.
	PipelineName = optional(conf.KindString, "pipeline.name")
	// PipelineJars are the job's jars, for native applications.
	PipelineJars = optional(conf.KindList, "pipeline.jars")
	// PipelineClasspaths are the job's class path URLs, for standalone applications.
	PipelineClasspaths = optional(conf.KindList, "pipeline.classpaths")
	// ParallelismOverrides is the parallelism of single vertices, by hex ID. The autoscaler sets it.
	ParallelismOverrides = option(conf.KindMap, "pipeline.jobvertex-parallelism-overrides", "")
	// MaxParallelism is the number of key groups; -1 is chosen by Flink.
	MaxParallelism = option(conf.KindInt, "pipeline.max-parallelism", "-1")
	// TaskSlots of a TaskManager.
	TaskSlots = option(conf.KindInt, "taskmanager.numberOfTaskSlots", "1")
	// JobManagerAddress is the host name of the JobManager's RPC endpoint.
	JobManagerAddress = optional(conf.KindString, "jobmanager.rpc.address")
	// JobManagerPort is the port of the JobManager's RPC endpoint.
	JobManagerPort = option(conf.KindInt, "jobmanager.rpc.port", "6123")
	// JobManagerBindHost is the address the JobManager listens on; it never reaches the cluster.
	JobManagerBindHost = optional(conf.KindString, "jobmanager.bind-host")
	// TaskManagerBindHost is the address TaskManagers listen on; it never reaches the cluster.
	TaskManagerBindHost = optional(conf.KindString, "taskmanager.bind-host")
	// TaskManagerHost is the name TaskManagers are known by; it never reaches the cluster.
	TaskManagerHost = optional(conf.KindString, "taskmanager.host")
	// TaskManagerPort is the port of the TaskManagers' RPC endpoint; 0 is any.
	TaskManagerPort = option(conf.KindPort, "taskmanager.rpc.port", "0")
	// BlobPort is the port of the blob server; 0 is any.
	BlobPort = option(conf.KindPort, "blob.server.port", "0")
	// RestPort is the port that clients use.
	RestPort = option(conf.KindInt, "rest.port", "8081", "web.port")
	// RestBindPort is the port that the JobManager listens on.
	RestBindPort = option(conf.KindPort, "rest.bind-port", "8081", "rest.port", "web.port", "jobmanager.web.port")
	// RestBindAddress is the address that the JobManager listens on; it never reaches the cluster.
	RestBindAddress = optional(conf.KindString, "rest.bind-address", "web.address", "jobmanager.web.address")
	// RestAddress is the host name that clients use.
	RestAddress = optional(conf.KindString, "rest.address", "jobmanager.rpc.address")
	// RestAsyncStoreDuration is how long the JobManager remembers a savepoint trigger.
	RestAsyncStoreDuration = option(conf.KindDuration, "rest.async.store-duration", "5 min")
	// WebCancelEnable lets people cancel jobs in the web interface. The operator turns it off by default.
	WebCancelEnable = option(conf.KindBool, "web.cancel.enable", "true")
	// WebSubmitEnable lets people upload jars in the web interface.
	WebSubmitEnable = option(conf.KindBool, "web.submit.enable", "true", "jobmanager.web.submit.enable")
	// JobStoreExpirationTime is how long an ended job is known, in seconds.
	JobStoreExpirationTime = option(conf.KindLong, "jobstore.expiration-time", "3600")
	// Scheduler of streaming jobs. The default constant depends on the Flink version.
	Scheduler = enum("jobmanager.scheduler", "Default", "Adaptive", "AdaptiveBatch", "Ng")
	// SchedulerMode is REACTIVE or not set.
	SchedulerMode = declare(
		conf.Option{Key: "scheduler-mode", Kind: conf.KindEnum, Values: []string{"REACTIVE"}},
	)
	// Keytab is the Kerberos keytab; the client replaces it with the path in the pod.
	Keytab = optional(conf.KindString, "security.kerberos.login.keytab", "security.keytab")
	// Principal is the Kerberos principal.
	Principal = optional(conf.KindString, "security.kerberos.login.principal", "security.principal")
	// Krb5Path is the client's krb5.conf.
	Krb5Path = optional(conf.KindString, "security.kerberos.krb5-conf.path")
	// RestSSLEnabled serves REST over TLS.
	RestSSLEnabled = option(conf.KindBool, "security.ssl.rest.enabled", "false", "security.ssl.enabled")
	// RestSSLAuthenticationEnabled asks REST clients for a certificate.
	RestSSLAuthenticationEnabled = option(conf.KindBool, "security.ssl.rest.authentication-enabled", "false")
	// RestCacheRefresh is how long checkpoint statistics are cached.
	RestCacheRefresh = option(
		conf.KindDuration, "rest.cache.checkpoint-statistics.timeout", "3 s", "web.refresh-interval",
	)
	// JavaOpts are JVM flags of all processes (1.17; the fallback before).
	JavaOpts = option(conf.KindString, "env.java.opts.all", "", "env.java.opts")
	// JobManagerJavaOpts are JVM flags of the JobManager.
	JobManagerJavaOpts = option(conf.KindString, "env.java.opts.jobmanager", "")
	// TaskManagerJavaOpts are JVM flags of the TaskManagers.
	TaskManagerJavaOpts = option(conf.KindString, "env.java.opts.taskmanager", "")
	// RedirectStdoutErr writes output of the processes to files too. Shell scripts read it.
	RedirectStdoutErr = option(conf.KindBool, "env.stdout-err.redirect-to-file", "false")
	// LogMax is the number of old log files kept. Shell scripts read it.
	LogMax = option(conf.KindInt, "env.log.max", "10")
)
