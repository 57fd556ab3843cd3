package gather

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/plan"
)

// leaderAnnotation holds the lease of the JobManager that leads, as the leader election of Flink's Kubernetes client
// writes it.
const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader"

// leaderUntil reads the end of the leader's lease from a high-availability ConfigMap. One without a holder was given
// back.
func leaderUntil(u *unstructured.Unstructured) plan.Observed[time.Time] {
	text := u.GetAnnotations()[leaderAnnotation]
	if text == "" {
		return plan.Absent[time.Time]()
	}
	var lease struct {
		HolderIdentity string          `json:"holderIdentity"`
		LeaseDuration  json.RawMessage `json:"leaseDuration"`
		RenewTime      string          `json:"renewTime"`
	}
	if err := json.Unmarshal([]byte(text), &lease); err != nil {
		return plan.Unknown[time.Time]("it is no lease: " + err.Error())
	}
	if lease.HolderIdentity == "" {
		return plan.Absent[time.Time]()
	}
	renewed, err := time.Parse(time.RFC3339Nano, lease.RenewTime)
	if err != nil {
		return plan.Unknown[time.Time](fmt.Sprintf("its renewTime %q is no time", lease.RenewTime))
	}
	lasts, err := leaseDuration(string(lease.LeaseDuration))
	if err != nil {
		return plan.Unknown[time.Time](fmt.Sprintf("its leaseDuration %s is no duration", lease.LeaseDuration))
	}
	return plan.Present(renewed.Add(lasts))
}

// leaseDuration reads seconds, or a text such as "PT15S" or "PT1M30S".
func leaseDuration(text string) (time.Duration, error) {
	if iso, quoted := strings.CutPrefix(strings.Trim(text, `"`), "PT"); quoted {
		return time.ParseDuration(strings.ToLower(iso))
	}
	return time.ParseDuration(text + "s")
}
