package flinkconf_test

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

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

// TestHighAvailabilityOfOldVersions: what the operator reads as high availability, the image reads as the same. Flink
// before 1.17 knows another key, and 1.15 Kubernetes only by its class.
func TestHighAvailabilityOfOldVersions(t *testing.T) {
	const class = "org.apache.flink.kubernetes.highavailability.KubernetesHaServicesFactory"
	for name, tc := range map[string]struct {
		spec, want string
		reason     string
	}{
		"1.15": {`flinkVersion: v1_15, flinkConfiguration: {high-availability.type: kubernetes}`, class, "by its class"},
		"1.15, old key": {
			`flinkVersion: v1_15, flinkConfiguration: {high-availability: KUBERNETES}`, class, "in any case",
		},
		"1.15, class": {`flinkVersion: v1_15, flinkConfiguration: {high-availability: ` + class + `}`, class, "as it is"},
		"1.15, ZooKeeper": {
			`flinkVersion: v1_15, flinkConfiguration: {high-availability.type: zookeeper}`, "zookeeper", "a name that it knows",
		},
		"1.16": {
			`flinkVersion: v1_16, flinkConfiguration: {high-availability.type: kubernetes}`, "kubernetes", "the short name",
		},
		"1.16, two keys": {
			`flinkVersion: v1_16, flinkConfiguration: {high-availability.type: NONE, high-availability: zookeeper}`, "NONE",
			"the one that the operator goes by",
		},
		"1.16, none": {`flinkVersion: v1_16`, "-", "nothing to tell"},
		"1.17": {
			`flinkVersion: v1_17, flinkConfiguration: {high-availability.type: kubernetes}`, "-", "it reads the newer key",
		},
	} {
		t.Run(name, func(t *testing.T) {
			want := map[string]string{"high-availability": tc.want}
			has(t, deploy(t, input(t, "{"+tc.spec+"}")).Cluster, want, tc.reason)
		})
	}
}
