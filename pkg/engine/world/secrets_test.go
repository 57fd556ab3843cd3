package world_test

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// No text that Flink says leaves with a secret of the resource, wherever it stands.
func TestWhatFlinkSaysHasNoSecrets(t *testing.T) {
	const secret = "Tr0ub4dor-and-3"
	v := guesttest.NewLife(t, func(s *world.Seen) {
		s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(`{"s3.secret-key":"` + secret + `"}`)
		s.Flink.Failure, s.Flink.FailureTrace = plan.Present("no "+secret), "at "+secret
		s.Flink.Stop = plan.Present(world.StopProgress{State: world.StopFailed, Cause: "stop " + secret})
		s.Flink.Exceptions = plan.Present([]exceptions.Entry{{
			StackTrace: "trace " + secret, Labels: map[string]string{"label": "value " + secret},
		}})
		s.Flink.Requests.Savepoint = plan.Present(snapshots.Operation{Failure: "savepoint " + secret})
		s.Flink.Requests.Checkpoint = plan.Present(snapshots.Operation{Failure: "checkpoint " + secret})
	})
	flink := v.Seen.Flink
	failure, _ := flink.Failure.Get()
	stop, _ := flink.Stop.Get()
	entries, _ := flink.Exceptions.Get()
	savepoint, _ := flink.Requests.Savepoint.Get()
	checkpoint, _ := flink.Requests.Checkpoint.Get()
	event := world.HideEvent(v, plan.Event{Message: "event " + secret, Annotations: map[string]string{"a": secret}})
	for where, text := range map[string]string{
		"failure": failure, "trace": flink.FailureTrace, "stop": stop.Cause, "stack": entries[0].StackTrace,
		"label": entries[0].Labels["label"], "savepoint": savepoint.Failure, "checkpoint": checkpoint.Failure,
		"event": event.Message, "annotation": event.Annotations["a"], "hidden": v.Hide(secret), "shown": v.Shown(secret),
	} {
		if text == "" || strings.Contains(text, secret) {
			t.Errorf("%s says %q, want a text without the secret", where, text)
		}
	}
	if got := v.Hide(""); got != "" {
		t.Errorf("an empty text becomes %q", got)
	}
}
