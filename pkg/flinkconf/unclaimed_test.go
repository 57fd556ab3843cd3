package flinkconf_test

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

func TestIgnoresUnclaimedState(t *testing.T) {
	const old, recent = "execution.savepoint.ignore-unclaimed-state", "execution.state-recovery.ignore-unclaimed-state"
	both := flinkconf.Config{old: "true", recent: "false"}
	for name, row := range map[string]struct {
		config  flinkconf.Config
		version v1beta1.FlinkVersion
		want    bool
		reason  string
	}{
		"none":                       {nil, v1beta1.FlinkV1_20, false, "Flink's default"},
		"on":                         {flinkconf.Config{recent: "true"}, v1beta1.FlinkV1_20, true, "it says so"},
		"on, before 1.20":            {flinkconf.Config{recent: "true"}, v1beta1.FlinkV1_19, false, "Flink did not know it"},
		"on, no version known":       {flinkconf.Config{recent: "true"}, "", true, "Flink may know it"},
		"older, before 1.20":         {flinkconf.Config{old: "true"}, v1beta1.FlinkV1_19, true, "it says so"},
		"older, in 1.20":             {flinkconf.Config{old: "true"}, v1beta1.FlinkV1_20, true, "Flink reads it still"},
		"both differ":                {both, v1beta1.FlinkV2_0, false, "the newer counts"},
		"both differ, before 1.20":   {both, v1beta1.FlinkV1_19, true, "the only one"},
		"off":                        {flinkconf.Config{recent: "false"}, v1beta1.FlinkV1_20, false, "it says so"},
		"what nobody can read is no": {flinkconf.Config{recent: "perhaps"}, v1beta1.FlinkV1_20, false, "Flink refuses it"},
	} {
		if got := flinkconf.IgnoresUnclaimedState(row.config, row.version); got != row.want {
			t.Errorf("%s: %v, want %v: %s", name, got, row.want, row.reason)
		}
	}
}
