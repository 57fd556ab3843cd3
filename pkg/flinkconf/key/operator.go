package key

import "github.com/kn-flink/kn-flink/pkg/flinkconf/conf"

// Options of the operator that a resource cannot set.
var (
	// ReconcileInterval is the longest time between two checks of a resource.
	ReconcileInterval = namespaced(conf.KindDuration, "reconcile.interval", "1 min", "reconciler.reschedule.interval")
	// ReconcileParallelism is the number of resources worked on at a time by a pod of reconcile; -1 is no bound.
	ReconcileParallelism = operator(conf.KindInt, "reconcile.parallelism", "50", "reconciler.max.parallelism")
	// ProgressCheckInterval is the time between two looks while a deployment, savepoint or cancellation is under way.
	ProgressCheckInterval = namespaced(conf.KindDuration, "observer.progress-check.interval", "10 s")
	// RestReadyDelay is the time between "the REST port answers" and READY.
	RestReadyDelay = namespaced(conf.KindDuration, "observer.rest-ready.delay", "10 s")
	// FlinkClientTimeout bounds a call to Flink's REST API.
	FlinkClientTimeout = namespaced(conf.KindDuration, "flink.client.timeout", "10 s", "observer.flink.client.timeout")
	// FlinkClientCancelTimeout bounds cancel and stop-with-savepoint.
	FlinkClientCancelTimeout = namespaced(
		conf.KindDuration, "flink.client.cancel.timeout", "1 min", "reconciler.flink.cancel.job.timeout",
	)
	// ResourceCleanupTimeout bounds the wait for JobManager and TaskManager pods to disappear.
	ResourceCleanupTimeout = namespaced(
		conf.KindDuration, "resource.cleanup.timeout", "5 min", "reconciler.flink.cluster.shutdown.timeout",
	)
	// JobSubmissionTimeout is how long main of a session job may take to submit before its jar is run again.
	JobSubmissionTimeout = namespaced(conf.KindDuration, "job.submission.timeout", "10 min")
	// ResourceDeletionPropagation is the propagation policy for the JobManager and TaskManager Deployments.
	ResourceDeletionPropagation = scoped(
		conf.ScopeNamespace, oneOf("resource.deletion.propagation", "Foreground", "Background", "Orphan"),
	)
	// IngressManage lets the operator create and update Ingress objects.
	IngressManage = namespaced(conf.KindBool, "ingress.manage", "true")
	// IngressAllowedHosts are the hosts that spec.ingress may ask for, separated by semicolons: names, with * for
	// one part, {{namespace}} and {{name}}, such as *.{{namespace}}.example.com. Empty allows every host.
	IngressAllowedHosts = operator(conf.KindList, "ingress.allowed-hosts", "")
	// IngressAllowedAnnotations are the annotations that spec.ingress may ask for, with * for what follows the prefix,
	// such as cert-manager.io/*. Empty allows every annotation.
	IngressAllowedAnnotations = operator(conf.KindList, "ingress.allowed-annotations", "")
	// ExceptionStacktraceEnabled puts stack traces into status.error.
	ExceptionStacktraceEnabled = namespaced(conf.KindBool, "exception.stacktrace.enabled", "false")
	// ExceptionStacktraceMaxLength bounds a stack trace in status.error, in characters.
	ExceptionStacktraceMaxLength = namespaced(conf.KindInt, "exception.stacktrace.max.length", "2048")
	// ExceptionFieldMaxLength bounds each text in status.error, in characters.
	ExceptionFieldMaxLength = namespaced(conf.KindInt, "exception.field.max.length", "2048")
	// ExceptionThrowableListMaxCount bounds the number of causes in status.error.
	ExceptionThrowableListMaxCount = namespaced(conf.KindInt, "exception.throwable.list.max.count", "2")
	// ExceptionLabelMapper maps a regular expression over error texts to the label put into status.error.
	ExceptionLabelMapper = namespaced(conf.KindMap, "exception.label.mapper", "")
	// ExceptionMessages says what of a Java exception is shown in status, events and logs: all, or class-only, which
	// leaves out its message. It is an option of ours.
	ExceptionMessages = scoped(conf.ScopeNamespace, oneOf("exception.messages", "all", "class-only"))
	// EventsExceptionsLimit bounds the job exception events of one pass.
	EventsExceptionsLimit = namespaced(conf.KindInt, "events.exceptions.limit-per-reconciliation", "10")
	// EventsExceptionsStacktraceLines is the number of stack lines in such an event.
	EventsExceptionsStacktraceLines = namespaced(conf.KindInt, "events.exceptions.stacktrace-lines", "5")
	// SavepointHistoryMaxCountThreshold caps SavepointHistoryMaxCount of every resource; unset is no cap.
	SavepointHistoryMaxCountThreshold = scoped(
		conf.ScopeNamespace, unset(conf.KindInt, "savepoint.history.max.count.threshold"),
	)
	// SavepointHistoryMaxAgeThreshold caps SavepointHistoryMaxAge of every resource; unset is no cap.
	SavepointHistoryMaxAgeThreshold = scoped(
		conf.ScopeNamespace, unset(conf.KindDuration, "savepoint.history.max.age.threshold"),
	)
	// ArtifactsBaseDir is where the Java operator keeps downloaded session job jars. We stream them: read, not used.
	ArtifactsBaseDir = operator(conf.KindString, "user.artifacts.base.dir", "/opt/flink/artifacts")
	// ArtifactsAllowedSchemes are the URI schemes that a session job's jarURI may have.
	ArtifactsAllowedSchemes = operator(conf.KindList, "user.artifacts.allowed-schemes", "https")
	// ArtifactsDisallowRestrictedHosts refuses jarURI hosts that are not public; package reach has the list.
	ArtifactsDisallowRestrictedHosts = operator(conf.KindBool, "user.artifacts.disallow-restricted-hosts", "true")
	// ArtifactsAllowedHosts are hosts, addresses and networks that jars may be fetched from although they are not public.
	// It is an option of ours: the Java operator knows all or nothing.
	ArtifactsAllowedHosts = operator(conf.KindList, "user.artifacts.allowed-hosts", "")
	// ArtifactsDeniedNetworks are addresses and networks that jars are never fetched from, whatever else allows them:
	// those of pods and nodes with public addresses. It is an option of ours.
	ArtifactsDeniedNetworks = operator(conf.KindList, "user.artifacts.denied-networks", "")
	// ArtifactsMaxSize is how large a session job's jar may be; unset is no bound. It is an option of ours.
	ArtifactsMaxSize = scoped(conf.ScopeOperator, unset(conf.KindMemory, "user.artifacts.max-size"))
	// WatchedNamespaces is a comma separated list of namespaces; the default stands for all of them.
	WatchedNamespaces = operator(conf.KindString, "watched.namespaces", "JOSDK_ALL_NAMESPACES")
	// WatchedNamespaceSelector adds the namespaces with such labels to WatchedNamespaces; it is an option of ours. Without
	// WatchedNamespaces they are the only ones.
	WatchedNamespaceSelector = scoped(conf.ScopeOperator, unset(conf.KindString, "watched.namespace-selector"))
	// DynamicNamespacesEnabled follows changes of WatchedNamespaces without a restart.
	DynamicNamespacesEnabled = operator(conf.KindBool, "dynamic.namespaces.enabled", "false")
	// LabelSelector restricts the watched resources; unset is all.
	LabelSelector = scoped(conf.ScopeOperator, unset(conf.KindString, "label.selector"))
	// DynamicConfigEnabled follows changes of the operator's configuration without a restart.
	DynamicConfigEnabled = operator(conf.KindBool, "dynamic.config.enabled", "true")
	// DynamicConfigCheckInterval is how often files are checked for such changes. Where it is not set a function looks
	// with each event, as that costs next to nothing.
	DynamicConfigCheckInterval = operator(conf.KindDuration, "dynamic.config.check.interval", "5 min")
	// ConfigCacheTimeout is how long the Java operator keeps composed configurations. We compose them each time: read, not
	// used.
	ConfigCacheTimeout = operator(conf.KindDuration, "config.cache.timeout", "10 min")
	// ConfigCacheSize is how many composed configurations the Java operator keeps. Read, not used.
	ConfigCacheSize = operator(conf.KindInt, "config.cache.size", "1000")
	// RetryInitialInterval is the first wait after an unexpected error.
	RetryInitialInterval = operator(conf.KindDuration, "retry.initial.interval", "5 s")
	// RetryIntervalMultiplier grows that wait from one error to the next.
	RetryIntervalMultiplier = operator(conf.KindFloat, "retry.interval.multiplier", "1.5")
	// RetryMaxAttempts bounds the retries.
	RetryMaxAttempts = operator(conf.KindInt, "retry.max.attempts", "15")
	// RetryMaxInterval caps that wait; unset is no cap.
	RetryMaxInterval = scoped(conf.ScopeOperator, unset(conf.KindDuration, "retry.max.interval"))
	// RateLimiterRefreshPeriod is the window of the per-resource rate limit.
	RateLimiterRefreshPeriod = operator(conf.KindDuration, "rate-limiter.refresh-period", "15 s")
	// RateLimiterLimit is the number of passes a resource gets in that window; 0 or less is no limit.
	RateLimiterLimit = operator(conf.KindInt, "rate-limiter.limit", "5")
	// HealthProbeEnabled and HealthProbePort configure the Java operator's probe. Knative probes instead: read, not used.
	HealthProbeEnabled = operator(conf.KindBool, "health.probe.enabled", "true")
	// HealthProbePort is the port of that probe.
	HealthProbePort = operator(conf.KindInt, "health.probe.port", "8085")
	// CanaryResourceTimeout is the longest time between the change of a canary resource's spec and its reconciliation.
	CanaryResourceTimeout = operator(conf.KindDuration, "health.canary.resource.timeout", "1 min")
	// EffectWarnings lets the webhook answer an edit with a warning that says what it will do.
	EffectWarnings = operator(conf.KindBool, "webhook.effect-warnings.enabled", "true")
	// StopOnInformerError ends the Java operator when a watch cannot be set up. We have no informers: read, not used.
	StopOnInformerError = operator(conf.KindBool, "startup.stop-on-informer-error", "true")
	// TerminationTimeout is the grace for running work when the operator stops.
	TerminationTimeout = operator(conf.KindDuration, "termination.timeout", "10 s")
	// LeaderElectionEnabled, with the options below, elects one of several Java operators. Not needed here: read, not
	// used.
	LeaderElectionEnabled = operator(conf.KindBool, "leader-election.enabled", "false")
	// LeaderElectionLeaseName is the name of the lease; required when the election is on.
	LeaderElectionLeaseName = scoped(conf.ScopeOperator, unset(conf.KindString, "leader-election.lease-name"))
	// LeaderElectionLeaseDuration is how long a lease holds.
	LeaderElectionLeaseDuration = operator(conf.KindDuration, "leader-election.lease-duration", "15 s")
	// LeaderElectionRenewDeadline is how long a leader tries to renew.
	LeaderElectionRenewDeadline = operator(conf.KindDuration, "leader-election.renew-deadline", "10 s")
	// LeaderElectionRetryPeriod is the wait between two tries.
	LeaderElectionRetryPeriod = operator(conf.KindDuration, "leader-election.retry-period", "2 s")
	// ClusterResourceViewRefreshInterval is how often the autoscaler reads the free capacity of the Kubernetes
	// cluster. The Java default is -1 minute, which means off; here off is: not set.
	ClusterResourceViewRefreshInterval = scoped(
		conf.ScopeOperator, unset(conf.KindDuration, "cluster.resource-view.refresh-interval"),
	)
)

// Options of the operator's own metrics.
var (
	// JVMMetricsEnabled exports figures of the Java process. Read, not used.
	JVMMetricsEnabled = operator(conf.KindBool, "jvm.metrics.enabled", "true")
	// JOSDKMetricsEnabled exports figures of the Java operator framework. Read, not used.
	JOSDKMetricsEnabled = operator(conf.KindBool, "josdk.metrics.enabled", "true")
	// KubernetesClientMetricsEnabled exports figures of the calls to the Kubernetes API.
	KubernetesClientMetricsEnabled = operator(conf.KindBool, "kubernetes.client.metrics.enabled", "true")
	// KubernetesClientMetricsCodeGroups groups those by 1xx, 2xx and so on.
	KubernetesClientMetricsCodeGroups = operator(
		conf.KindBool, "kubernetes.client.metrics.http.response.code.groups.enabled", "false",
	)
	// KubernetesClientSlowRequestThreshold is the time from which such a call counts as slow.
	KubernetesClientSlowRequestThreshold = operator(
		conf.KindDuration, "kubernetes.client.metrics.slow.request.threshold", "5 s",
	)
	// ResourceMetricsEnabled exports figures of the Flink resources.
	ResourceMetricsEnabled = operator(conf.KindBool, "resource.metrics.enabled", "true")
	// ResourceLifecycleMetricsEnabled exports the time resources spend in each state.
	ResourceLifecycleMetricsEnabled = operator(conf.KindBool, "resource.lifecycle.metrics.enabled", "true")
	// ResourceLifecycleNamespaceHistograms keeps those times per namespace too.
	ResourceLifecycleNamespaceHistograms = operator(
		conf.KindBool, "resource.lifecycle.namespace.histograms.enabled", "true",
	)
	// MetricsHistogramSampleSize is the number of samples a histogram keeps.
	MetricsHistogramSampleSize = operator(conf.KindInt, "metrics.histogram.sample.size", "1000")
	// MetricsScopeSystem is the name pattern of the operator's own figures.
	MetricsScopeSystem = metricsScope(
		"system", "<host>.k8soperator.<namespace>.<name>.system", "metrics.scope.k8soperator",
	)
	// MetricsScopeResourceNamespace is the name pattern of the figures of a namespace.
	MetricsScopeResourceNamespace = metricsScope(
		"resourcens", "<host>.k8soperator.<namespace>.<name>.namespace.<resourcens>.<resourcetype>",
		"metrics.scope.k8soperator.resourcens",
	)
	// MetricsScopeResource is the name pattern of the figures of a resource.
	MetricsScopeResource = metricsScope(
		"resource", "<host>.k8soperator.<namespace>.<name>.resource.<resourcens>.<resourcename>.<resourcetype>",
		"metrics.scope.k8soperator.resource",
	)
)

// metricsScope declares the name pattern of some figures, whose older key has no prefix.
func metricsScope(of, def, old string) conf.Option {
	o := withDefault(conf.KindString, OperatorPrefix+"metrics.scope.k8soperator."+of, def, old)
	o.Scope = conf.ScopeOperator
	return declare(o)
}
