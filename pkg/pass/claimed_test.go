package pass

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// refusedBy is what the API server answers a write that a policy refuses.
func refusedBy(policy string) error {
	return apierrors.NewForbidden(v1beta1.FlinkDeploymentGVR.GroupResource(), "demo", fmt.Errorf(
		"ValidatingAdmissionPolicy '%s' with binding '%s' denied request: the status is written by the operator alone",
		policy, policy,
	))
}

func TestClaimant(t *testing.T) {
	for name, row := range map[string]struct {
		err  error
		want string
	}{
		"the first installation":    {refusedBy("kn-flink-status"), "flink-system"},
		"a second one":              {fmt.Errorf("store: %w", refusedBy("kn-flink-status-flink-b")), "flink-b"},
		"another policy":            {refusedBy("kn-flink-children"), ""},
		"no right":                  {apierrors.NewForbidden(v1beta1.FlinkDeploymentGVR.GroupResource(), "a", nil), ""},
		"no answer":                 {errors.New("ValidatingAdmissionPolicy 'kn-flink-status'"), ""},
		"nothing":                   {nil, ""},
		"joined with another error": {errors.Join(errors.New("x"), refusedBy("kn-flink-status-b")), "b"},
	} {
		if got := claimant(row.err); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

// TestWhatTwoInstallationsClaimIsToldAndLeftAlone: nothing of its cluster is touched, and a user reads why.
func TestWhatTwoInstallationsClaimIsToldAndLeftAlone(t *testing.T) {
	i := install(t)
	i.pass(v1beta1.KindFlinkDeployment, "demo")
	i.w.Settle()
	i.w.Kube.Policy = func(w kubesim.Write) error {
		if w.Resource == v1beta1.FlinkDeploymentGVR && w.Subresource == "status" {
			return refusedBy("kn-flink-status-flink-b")
		}
		return nil
	}
	i.merge("demo", map[string]any{"spec": map[string]any{"restartNonce": int64(7)}})
	i.w.Tap.Forget()
	for range 3 {
		if err := i.r.Run(t.Context(), demoKey, true); !fail.Is(err, fail.Denied) {
			t.Fatalf("the pass answers %v: the event must not be delivered again", err)
		}
	}
	count, message := i.told("ClaimedTwice")
	if count != 3 || !strings.Contains(message, "in namespace flink-b has this resource in its scope, too") {
		t.Errorf("told %d times: %s", count, message)
	}
	for _, resource := range []string{"deployments", "services", "configmaps", "pods", "replicasets", "flinkdeployments"} {
		for _, verb := range []string{"create", "patch", "delete"} {
			if n := i.w.Tap.Count(wire.On(verb, resource)); n != 0 {
				t.Errorf("%d requests to %s %s", n, verb, resource)
			}
		}
	}
}
