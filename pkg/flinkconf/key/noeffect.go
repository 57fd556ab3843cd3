package key

import "github.com/kn-flink/kn-flink/pkg/flinkconf/conf"

// Unread is an option of the Java operator that nothing here reads. Whoever sets it is told.
type Unread struct {
	// Option is the option.
	Option conf.Option
	// Same is the value that asks for what happens anyway, in any case; empty when there is none. Setting it is told to
	// nobody.
	Same string
	// Why says what happens instead, for people.
	Why string
}

// Reasons that several options share.
const (
	metrics = "metrics are pushed by OTLP to metrics-endpoint of ConfigMap config-observability, see " +
		"docs/observe/prometheus.md"
	elections = "there is no leader: passes of several pods are kept apart by preconditions"
	retries   = "an event that fails is sent again by its Trigger, and the clock checks operations in progress again"
	cached    = "configurations are composed in each pass"
	limited   = "a burst of changes of one resource is one pass, and then one more"
	probed    = "Knative probes the functions"
)

// NoEffect lists all of them, by their keys. A test finds what is missing here, and what is read by now.
func NoEffect() []Unread {
	return []Unread{
		{BlueGreenRescheduleInterval, "", "the clock checks a transition every 2 s"},
		{ConfigCacheSize, "", cached},
		{ConfigCacheTimeout, "", cached},
		{FlinkClientCancelTimeout, "", "a pass does not wait for the end of a job: later passes check for it"},
		{HealthProbeEnabled, "", probed},
		{HealthProbePort, "", probed},
		{JOSDKMetricsEnabled, "false", metrics},
		{JVMMetricsEnabled, "false", metrics},
		{KubernetesClientMetricsEnabled, "false", metrics},
		{KubernetesClientMetricsCodeGroups, "false", metrics},
		{KubernetesClientSlowRequestThreshold, "", metrics},
		{LeaderElectionEnabled, "false", elections},
		{LeaderElectionLeaseDuration, "", elections},
		{LeaderElectionLeaseName, "", elections},
		{LeaderElectionRenewDeadline, "", elections},
		{LeaderElectionRetryPeriod, "", elections},
		{MetricsHistogramSampleSize, "", metrics},
		{MetricsScopeResource, "", metrics},
		{MetricsScopeResourceNamespace, "", metrics},
		{MetricsScopeSystem, "", metrics},
		{ProgressCheckInterval, "", "operations in progress are checked every 2 s"},
		{RestReadyDelay, "", "a JobManager is READY when its REST API responds"},
		{RateLimiterLimit, "", limited},
		{RateLimiterRefreshPeriod, "", limited},
		{ResourceLifecycleMetricsEnabled, "false", metrics},
		{ResourceLifecycleNamespaceHistograms, "false", metrics},
		{ResourceMetricsEnabled, "false", metrics},
		{RetryInitialInterval, "", retries},
		{RetryIntervalMultiplier, "", retries},
		{RetryMaxAttempts, "", retries},
		{RetryMaxInterval, "", retries},
		{StopOnInformerError, "", "there are no informers"},
		{TerminationTimeout, "", "Knative lets a function finish its request"},
		{ArtifactsBaseDir, "", "a jar is streamed to the JobManager and kept nowhere"},
	}
}

// NoEffectPrefixes are the families of keys without effect, and what happens instead. Their names are the users' own.
func NoEffectPrefixes() map[string]string {
	return map[string]string{
		ListenerPrefix: "listeners of the Java operator are not run: make a Trigger on Broker flink-events, see " +
			"docs/extend/index.md",
		OperatorMetricsPrefix: metrics,
	}
}
