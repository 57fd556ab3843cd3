package pass

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// refuses lets the API server refuse a write of Deployments, and counts how often.
func (i *installation) refuses(verb string, refusal func() error) *[]time.Time {
	tried := &[]time.Time{}
	i.w.Kube.Policy = func(w kubesim.Write) error {
		if w.Verb != verb || w.Resource != kube.Deployments {
			return nil
		}
		*tried = append(*tried, i.w.Clock.Now())
		return refusal()
	}
	return tried
}

// tick lets the clock look again and again, as long as it takes.
func (i *installation) tick(d, each time.Duration) {
	for range int(d / each) {
		i.pass(v1beta1.KindFlinkDeployment, "demo")
		i.w.Clock.Advance(each)
		i.w.Settle()
	}
}

// TestRefusalsBackOff: a webhook of somebody else that is away is asked within seconds at first,
// and rarely later on; when it is back the operation goes on.
func TestRefusalsBackOff(t *testing.T) {
	for _, verb := range []string{"delete", "create", "update"} {
		t.Run(verb, func(t *testing.T) {
			i := install(t)
			tried := i.refuses(verb, kubesim.WebhookAway)
			began := i.w.Clock.Now()
			i.merge("demo", map[string]any{"spec": map[string]any{"restartNonce": int64(7)}})
			i.tick(20*time.Second, 2*time.Second)
			if n := len(*tried); n < 4 {
				t.Errorf("tried %d times in the first 20 s: %v", n, *tried)
			}
			i.tick(time.Minute, 2*time.Second)
			i.tick(30*time.Minute, 10*time.Second)
			if n := len(*tried); n > 20 {
				t.Errorf("tried %d times in half an hour", n)
			}
			last := (*tried)[len(*tried)-1]
			if i.w.Clock.Now().Sub(last) > 11*time.Minute {
				t.Errorf("not tried since %s, begun at %s", last, began)
			}
			reason, message := i.condition(summary.Reconciling)
			if !strings.Contains(message, "; next attempt at ") || !strings.Contains(message, "webhook") {
				t.Errorf("reconciling %s: %s", reason, message)
			}
			i.w.Kube.Policy = nil
			i.tick(11*time.Minute, 10*time.Second)
			if got := i.lifecycle(); got != v1beta1.LifecycleStable {
				t.Errorf("%s after the webhook is back", got)
			}
			d, _, err := v1beta1.DecodeDeployment(i.resource().Object)
			if err != nil || d.Status.Refused != nil {
				t.Errorf("refused %+v, %v", d.Status.Refused, err)
			}
		})
	}
}

// TestANewSpecIsTriedAtOnce: so is a deletion.
func TestANewSpecIsTriedAtOnce(t *testing.T) {
	i := install(t)
	tried := i.refuses("delete", kubesim.WebhookAway)
	i.merge("demo", map[string]any{"spec": map[string]any{"restartNonce": int64(7)}})
	i.tick(10*time.Minute, 10*time.Second)
	before := len(*tried)
	i.merge("demo", map[string]any{"spec": map[string]any{"restartNonce": int64(8)}})
	i.pass(v1beta1.KindFlinkDeployment, "demo")
	if len(*tried) == before {
		t.Error("a new spec waits")
	}
	i.tick(5*time.Minute, 10*time.Second)
	before = len(*tried)
	object := kube.Object{Resource: v1beta1.FlinkDeploymentGVR, Namespace: "flink", Name: "demo"}
	if err := kube.New(i.w.Dynamic("kubectl")).Delete(t.Context(), object, i.resource().GetUID()); err != nil {
		t.Fatal(err)
	}
	i.tick(4*time.Second, 2*time.Second)
	if len(*tried) == before {
		t.Error("a deletion waits")
	}
	i.w.Kube.Policy = nil
	i.tick(11*time.Minute, 10*time.Second)
	if i.resource() != nil {
		t.Error("it is still there")
	}
}
