package flinkconf

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// IgnoresUnclaimedState reports whether Flink of this version leaves the state out of a start from a savepoint or
// checkpoint that no operator of the job claims. What cannot be read is false. First match wins:
//
//	option                                            of Flink
//	execution.state-recovery.ignore-unclaimed-state   1.20 and later, and where the version is not known
//	execution.savepoint.ignore-unclaimed-state        all
func IgnoresUnclaimedState(c Config, version v1beta1.FlinkVersion) bool {
	options := []conf.Option{key.IgnoreUnclaimedState}
	if version == "" || version.AtLeast(v1beta1.FlinkV1_20) {
		options = []conf.Option{key.RecoveryIgnoreUnclaimedState, key.IgnoreUnclaimedState}
	}
	for _, option := range options {
		if c.Has(option) {
			on, err := c.Bool(option)
			return on && err == nil
		}
	}
	return false
}
