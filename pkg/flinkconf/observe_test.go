package flinkconf_test

import (
	"errors"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

func TestObserve(t *testing.T) {
	for name, tc := range map[string]struct {
		deployed, current string
		want              map[string]string
		reason            string
	}{
		"operator options are current": {
			`flinkConfiguration: {test: reconciled, kubernetes.operator.test: reconciled}`,
			`flinkConfiguration: {test: latest, kubernetes.operator.test: latest, job.autoscaler.metrics.window: 1234m}`,
			map[string]string{
				"test":                          "reconciled",
				"kubernetes.operator.test":      "latest",
				"job.autoscaler.metrics.window": "1234m",
			},
			"options of the operator take effect without a redeployment, others do not"},
		"savepoint directory is current": {
			`flinkConfiguration: {state.savepoints.dir: /old, execution.checkpointing.savepoint-dir: /older}`,
			`flinkConfiguration: {state.savepoints.dir: /new}`,
			map[string]string{"execution.checkpointing.savepoint-dir": "/new", "state.savepoints.dir": "/old"},
			"read with its fallbacks, stored under the new key"},
		"no savepoint directory": {
			`flinkConfiguration: {state.savepoints.dir: /old}`, ``,
			map[string]string{
				"state.savepoints.dir":                  "/old",
				"execution.checkpointing.savepoint-dir": "-",
			}, "what was deployed stays"},
		"an operator option that is gone": {
			`flinkConfiguration: {kubernetes.operator.test: mine, kubernetes.operator.other: mine}`, ``,
			map[string]string{"kubernetes.operator.test": "default", "kubernetes.operator.other": "-"},
			"the default counts again, or nothing",
		},
		"an operator option that stays": {
			`flinkConfiguration: {kubernetes.operator.test: mine}`, `flinkConfiguration: {kubernetes.operator.test: mine}`,
			map[string]string{"kubernetes.operator.test": "mine"}, "the resource's own counts",
		},
		"composed": {
			`{image: "flink:1.20", job: {jarURI: "local:///a.jar", parallelism: 3}}`,
			`job: {jarURI: "local:///b.jar", parallelism: 4}`,
			map[string]string{
				"pipeline.jars":                         "local:///a.jar",
				"parallelism.default":                   "3",
				"kubernetes.cluster-id":                 "demo",
				"kubernetes.namespace":                  "ns1",
				"kubernetes.jobmanager.annotations":     "-",
				"kubernetes.jobmanager.owner.reference": "-",
				"$internal.pipeline.job-id":             "-",
			},
			"the whole composition of the deployed spec, without the facts of a start",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := flinkconf.Observe(flinkconf.ObserveInput{
				Operator:  flinkconf.NewOperator(flinkconf.Config{"kubernetes.operator.test": "default"}),
				Namespace: "ns1",
				Name:      "demo",
				Deployed:  specOf(t, tc.deployed),
				Current:   specOf(t, tc.current),
			})
			if err != nil {
				t.Fatal(err)
			}
			has(t, c, tc.want, tc.reason)
		})
	}
}

func TestObserveErrors(t *testing.T) {
	good, bad := specOf(t, ``), specOf(t, `flinkConfiguration: [1]`)
	if _, err := flinkconf.Observe(flinkconf.ObserveInput{Current: good}); !errors.Is(err, flinkconf.ErrNotDeployed) {
		t.Errorf("before the first deployment: %v, want ErrNotDeployed", err)
	}
	for name, in := range map[string]flinkconf.ObserveInput{
		"deployed": {Deployed: bad, Current: good},
		"current":  {Deployed: good, Current: bad},
	} {
		if _, err := flinkconf.Observe(in); err == nil {
			t.Errorf("an unreadable %s spec is no error", name)
		}
	}
	if c, err := flinkconf.Observe(flinkconf.ObserveInput{Deployed: good}); err != nil ||
		c["$internal.flink.version"] != "v1_20" {
		t.Errorf("without a current spec: %v, %v, want the deployed one", c, err)
	}
}

// TestObserveIsWhatWasDeployed: for the same spec, observing sees what deploying composed, but for the facts of the
// start.
func TestObserveIsWhatWasDeployed(t *testing.T) {
	in := input(t, app)
	deployed := deploy(t, in)
	c, err := flinkconf.Observe(flinkconf.ObserveInput{
		Namespace: in.Namespace,
		Name:      in.Name,
		Deployed:  in.Spec,
		Current:   in.Spec,
	})
	if err != nil {
		t.Fatal(err)
	}
	for k, text := range c {
		if deployed.Effective[k] != text {
			t.Errorf("%s: observed %q, deployed %q", k, text, deployed.Effective[k])
		}
	}
}

func TestSessionJob(t *testing.T) {
	cluster, err := flinkconf.Observe(flinkconf.ObserveInput{Namespace: "ns1", Name: "demo",
		Deployed: specOf(t, `flinkConfiguration: {a: cluster, b: cluster}`)})
	if err != nil {
		t.Fatal(err)
	}
	yes := true
	spec := &v1beta1.FlinkSessionJobSpec{
		FlinkConfiguration: v1beta1.FlinkConfiguration(`{"b": "job", "pipeline": {"x": 1}}`),
		Job: &v1beta1.JobSpec{
			UpgradeMode:           v1beta1.UpgradeModeLastState,
			AllowNonRestoredState: &yes,
			EntryClass:            "M",
			Args:                  []string{"1"},
		},
	}
	got, err := flinkconf.SessionJob(cluster, "job1", spec)
	if err != nil {
		t.Fatal(err)
	}
	has(t, got, map[string]string{
		"a":                                "cluster",
		"b":                                "job",
		"pipeline.x":                       "1",
		"pipeline.name":                    "job1",
		"execution.checkpointing.interval": "5 min",
		"execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
		"execution.savepoint.ignore-unclaimed-state":                "true",
		"$internal.application.main":                                "M",
		"$internal.application.program-args":                        "1",
		"kubernetes.cluster-id":                                     "demo",
	},
		"the cluster's configuration, the job's own over it, and the options of the job")
	has(t, cluster, map[string]string{
		"b":             "cluster",
		"pipeline.name": "-",
	}, "the cluster's configuration is not changed")
	if _, err := flinkconf.SessionJob(
		cluster, "job1", &v1beta1.FlinkSessionJobSpec{FlinkConfiguration: v1beta1.FlinkConfiguration(`[]`)},
	); err == nil {
		t.Error("an unreadable flinkConfiguration is no error")
	}
	bare, err := flinkconf.SessionJob(cluster, "job1", &v1beta1.FlinkSessionJobSpec{})
	if err != nil || bare["pipeline.name"] != "" {
		t.Errorf("without a job: %v, %v, want the cluster's configuration", bare, err)
	}
}

// Of a session job options count as of a FlinkDeployment: those of the cluster are its defaults.
func TestObserveSessionJob(t *testing.T) {
	cluster := flinkconf.Config{
		"kubernetes.operator.test": "cluster", "test": "cluster", "web.refresh-interval": "30000",
	}
	observe := func(in flinkconf.ObserveInput) (flinkconf.Config, error) {
		in.Name, in.Cluster = "job1", cluster
		return flinkconf.ObserveSessionJob(in)
	}
	deployed := specOf(t, `{job: {parallelism: 3}, flinkConfiguration: {test: mine, kubernetes.operator.test: mine,
		web.refresh-interval: 1000, rest.cache.checkpoint-statistics.timeout: 1 s}}`)
	for name, row := range map[string]struct {
		reason  string
		current *v1beta1.FlinkDeploymentSpec
		want    map[string]string
	}{
		"nothing else": {"what was submitted", nil, map[string]string{"test": "mine", "kubernetes.operator.test": "mine"}},
		"an option is new": {
			"the operator's count at once", specOf(t, `flinkConfiguration: {test: now, kubernetes.operator.test: now}`),
			map[string]string{"test": "mine", "kubernetes.operator.test": "now", "pipeline.name": "job1"},
		},
		"an option is gone": {
			"the cluster's counts", specOf(t, ``), map[string]string{"test": "mine", "kubernetes.operator.test": "cluster"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := observe(flinkconf.ObserveInput{Deployed: deployed, Current: row.current})
			if err != nil {
				t.Fatal(err)
			}
			has(t, c, row.want, row.reason)
		})
	}
	own, err := observe(flinkconf.ObserveInput{Deployed: deployed, Current: deployed})
	has(t, own, map[string]string{"web.refresh-interval": "30000"}, "the JobManager reads its own")
	if text, set := own["rest.cache.checkpoint-statistics.timeout"]; set || err != nil {
		t.Errorf("%q, %v, want what the cluster has: nothing", text, err)
	}
	bad := specOf(t, `flinkConfiguration: [1]`)
	if _, err := observe(flinkconf.ObserveInput{Current: deployed}); !errors.Is(err, flinkconf.ErrNotDeployed) {
		t.Errorf("before the first start: %v, want ErrNotDeployed", err)
	}
	for name, in := range map[string]flinkconf.ObserveInput{
		"submitted": {Deployed: bad, Current: deployed}, "current": {Deployed: deployed, Current: bad},
	} {
		if _, err := observe(in); err == nil {
			t.Errorf("an unreadable %s spec is no error", name)
		}
	}
}

func TestForAutoscaler(t *testing.T) {
	const timeout = "job.autoscaler.flink.rest-client.timeout"
	for name, tc := range map[string]struct {
		config flinkconf.Config
		want   string
		reason string
	}{
		"default": {flinkconf.Config{}, "10 s", "the operator's default"},
		"operator": {
			flinkconf.Config{"kubernetes.operator.observer.flink.client.timeout": "7 s"},
			"7 s",
			"the operator's own timeout, under any name",
		},
		"own": {
			flinkconf.Config{"kubernetes.operator.flink.client.timeout": "7 s", timeout: "3 s"},
			"3 s",
			"its own wins",
		},
		"own, old": {
			flinkconf.Config{"kubernetes.operator." + timeout: "4 s"},
			"-",
			"also under the older name, which stays",
		},
	} {
		t.Run(name, func(t *testing.T) {
			has(t, flinkconf.ForAutoscaler(tc.config), map[string]string{timeout: tc.want}, tc.reason)
		})
	}
}

func TestUsesSnapshotResources(t *testing.T) {
	const key = "kubernetes.operator.snapshot.resource.enabled"
	on, off := flinkconf.Config{}, flinkconf.Config{key: "false"}
	for name, tc := range map[string]struct {
		defaults, effective flinkconf.Config
		want                bool
	}{"both": {on, on, true}, "operator off": {off, on, false}, "resource off": {on, off, false}} {
		if got, err := flinkconf.UsesSnapshotResources(tc.defaults, tc.effective); err != nil || got != tc.want {
			t.Errorf("%s: %v, %v, want %v: both have to say so", name, got, err, tc.want)
		}
	}
	if _, err := flinkconf.UsesSnapshotResources(flinkconf.Config{key: "x"}, on); err == nil {
		t.Error("an unreadable option is no error")
	}
}
