package gather

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// leaderAnnotation holds the lease of the JobManager that leads, as the leader election of Flink's Kubernetes client
// writes it.
const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader"

// leader reads the leader's lease from a high-availability ConfigMap. One without a holder was given back.
func leader(u *unstructured.Unstructured) plan.Observed[hadata.Lease] {
	text := u.GetAnnotations()[leaderAnnotation]
	if text == "" {
		return plan.Absent[hadata.Lease]()
	}
	var lease struct {
		HolderIdentity string          `json:"holderIdentity"`
		LeaseDuration  json.RawMessage `json:"leaseDuration"`
		RenewTime      string          `json:"renewTime"`
	}
	if err := json.Unmarshal([]byte(text), &lease); err != nil {
		return plan.Unknown[hadata.Lease]("it is no lease: " + err.Error())
	}
	if lease.HolderIdentity == "" {
		return plan.Absent[hadata.Lease]()
	}
	if lease.RenewTime == "" {
		return plan.Unknown[hadata.Lease]("it has no renewTime")
	}
	lasts, err := leaseDuration(string(lease.LeaseDuration))
	if err != nil {
		return plan.Unknown[hadata.Lease](fmt.Sprintf("its leaseDuration %s is no duration", lease.LeaseDuration))
	}
	return plan.Present(hadata.Lease{Holder: lease.HolderIdentity, Renewed: lease.RenewTime, Lasts: lasts})
}

// leaseDuration reads seconds, or a text such as "PT15S" or "PT1M30S".
func leaseDuration(text string) (time.Duration, error) {
	if iso, quoted := strings.CutPrefix(strings.Trim(text, `"`), "PT"); quoted {
		return time.ParseDuration(strings.ToLower(iso))
	}
	return time.ParseDuration(text + "s")
}
