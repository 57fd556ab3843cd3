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
		HAKey: "high-availability", HAFactoryOnly: true, RunClaimMode: "restoreMode",
		JobGraphPrefix: "jobGraph-", LegacyHeapKeys: true, NetworkMemoryCapped: true, BareSessionHost: true,
	}
	changes := map[v1beta1.FlinkVersion]func(){
		"v1_16": func() { want.BareSessionHost, want.HAFactoryOnly = false, false },
		"v1_17": func() {
			want.HAKey = "high-availability.type"
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
