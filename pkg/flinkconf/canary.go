package flinkconf

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// CanaryTimeout is how long the change of a canary may take to be seen: what the option says, or else a minute.
func (o Operator) CanaryTimeout() time.Duration {
	set, err := o.base.Duration(key.CanaryResourceTimeout)
	if err != nil || set <= 0 {
		return time.Minute
	}
	return set
}
