package flinkconf_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

// TestBehaviour reads the rows of the table above BehaviourOf: what each version does for the first time.
func TestBehaviour(t *testing.T) {
	want := flinkconf.Behaviour{
		ImageKey: "kubernetes.container.image", LegacyCPUKeys: true, ConfigFile: "flink-conf.yaml",
		RunClaimMode:   "restoreMode",
		JobGraphPrefix: "jobGraph-", LegacyHeapKeys: true, NetworkMemoryCapped: true, BareSessionHost: true,
	}
	changes := map[v1beta1.FlinkVersion]func(){
		"v1_16": func() { want.BareSessionHost = false },
		"v1_17": func() {
			want.ImageKey, want.LegacyCPUKeys, want.NetworkMemoryCapped = "kubernetes.container.image.ref", false, false
			want.CheckpointTrigger, want.RunRequestConfig = true, true
		},
		"v1_18": func() { want.RescaleAPI = true },
		"v1_19": func() { want.JobLeaderPrefix = "job-" },
		"v1_20": func() { want.RecoveryKeys, want.RunClaimMode = true, "claimMode" },
		"v2_0": func() {
			want.ConfigFile, want.StandardYAML, want.JobGraphPrefix, want.LegacyHeapKeys = "config.yaml", true,
				"executionPlan-", false
		},
	}
	for _, version := range v1beta1.FlinkVersions() {
		if change := changes[version]; change != nil {
			change()
		}
		if diff := cmp.Diff(want, flinkconf.BehaviourOf(version)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", version, diff)
		}
	}
	if diff := cmp.Diff(flinkconf.BehaviourOf("v1_13"), flinkconf.BehaviourOf("")); diff != "" {
		t.Errorf("no version behaves like the oldest:\n%s", diff)
	}
}

func TestHighAvailability(t *testing.T) {
	for name, tc := range map[string]struct {
		config flinkconf.Config
		want   flinkconf.HAMode
		active bool
		reason string
	}{
		"not set": {flinkconf.Config{}, flinkconf.HANone, false, "off by default"},
		"none":    {flinkconf.Config{"high-availability.type": "None"}, flinkconf.HANone, false, "in any case"},
		"standalone": {
			flinkconf.Config{"high-availability": "standalone"},
			flinkconf.HANone,
			false,
			"an old word for none",
		},
		"kubernetes": {
			flinkconf.Config{"high-availability.type": "Kubernetes"},
			flinkconf.HAKubernetes,
			true,
			"the short name",
		},
		"kubernetes class": {
			flinkconf.Config{"high-availability": "org.apache.flink.kubernetes.highavailability.KubernetesHaServicesFactory"},
			flinkconf.HAKubernetes,
			true,
			"the only name that 1.15 knows",
		},
		"zookeeper": {flinkconf.Config{"recovery.mode": "zookeeper"}, flinkconf.HAZooKeeper, true, "an older key"},
		"class": {
			flinkconf.Config{"high-availability.type": "org.example.Factory"},
			flinkconf.HACustom,
			true,
			"any other text is a factory class",
		},
		"blank": {
			flinkconf.Config{"high-availability.type": ""},
			flinkconf.HACustom,
			true,
			"even no text: Flink looks for a class of that name",
		},
		"order": {
			flinkconf.Config{"high-availability": "kubernetes", "high-availability.type": "NONE"},
			flinkconf.HANone,
			false,
			"the newest key wins",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := flinkconf.HighAvailabilityOf(tc.config)
			if got != tc.want || got.Active() != tc.active {
				t.Errorf("HighAvailabilityOf() = %q (active %v), want %q: %s", got, got.Active(), tc.want, tc.reason)
			}
		})
	}
	if flinkconf.HAMode("").Active() {
		t.Error("the zero value is not active")
	}
}

func TestForbiddenKeys(t *testing.T) {
	want := []string{"kubernetes.namespace", "kubernetes.cluster-id", "high-availability.cluster-id"}
	if diff := cmp.Diff(want, flinkconf.ForbiddenKeys()); diff != "" {
		t.Errorf("the first one found is reported, so the order counts (-want +got):\n%s", diff)
	}
}

func TestReexports(t *testing.T) {
	d, err := flinkconf.ParseDuration("90 s")
	if err != nil || flinkconf.FormatDuration(d) != "90 s" {
		t.Errorf("duration: %v, %v", d, err)
	}
	n, err := flinkconf.ParseMemory("2g")
	if err != nil || flinkconf.FormatMemory(n) != "2 gb" {
		t.Errorf("memory: %v, %v", n, err)
	}
}
