package apply

import (
	"context"
	"fmt"
	"strings"

	"go.uber.org/zap"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

// The log of changes has a line for each change of a lifecycle state that was stored, and for each Event that was made
// or counted up. Its messages have the columns of the Java operator's audit log, its fields the parts of them.

// Columns of the log of changes.
const (
	statusLine         = ">>> %-16s | %-7s | %-15s | %s"
	snapshotStatusLine = ">>> %-16s | %-7s | %s"
)

// audited is a line of the log of changes.
type audited struct {
	message string
	fields  []any
}

// write writes a line, where there is one.
func (l audited) write(ctx context.Context, log *zap.SugaredLogger, resource *unstructured.Unstructured) {
	if log == nil || l.message == "" {
		return
	}
	key := resource.GetNamespace() + "/" + resource.GetKind() + "/" + resource.GetName()
	telemetry.Traced(ctx, log).Infow(l.message, append(l.fields, telemetry.Key, key, telemetry.UID, resource.GetUID(),
		telemetry.Generation, resource.GetGeneration())...)
}

// auditStatus is the line for a status that was stored, or that nobody reads any more because the resource is gone. No
// line has no message.
//
//	log of the kind               what changed                  the line
//	kinds.LogNothing              -                             none
//	kinds.LogSnapshot             state, path, or error         its state; the error, else the path
//	kinds.LogJob                  the lifecycle state           it; the error, else what the state means
//	kinds.LogJob                  anything else                 none
func auditStatus(before, after *unstructured.Unstructured) audited {
	old, now := statusText(before), statusText(after)
	switch logOf(after) {
	case kinds.LogNothing:
		return audited{}
	case kinds.LogSnapshot:
		if old("state") == now("state") && old("path") == now("path") && old("error") == now("error") {
			return audited{}
		}
		text := now("error")
		if text == "" {
			text = now("path")
		}
		return audited{
			message: fmt.Sprintf(snapshotStatusLine, subject("Status", after), now("state"), text),
			fields:  moved(old("state"), now("state"), now("error")),
		}
	}
	state := now("lifecycleState")
	if old("lifecycleState") == state {
		return audited{}
	}
	severity, text := "Info", meanings[v1beta1.LifecycleState(state)]
	if now("error") != "" {
		severity, text = "Error", now("error")
	}
	return audited{
		message: fmt.Sprintf(statusLine, subject("Status", after), severity, state, text),
		fields:  moved(old("lifecycleState"), state, now("error")),
	}
}

// auditGone writes the line for a resource that nothing holds any more: its last status is not stored.
func (c *Executor) auditGone(ctx context.Context, resource *unstructured.Unstructured, p plan.Plan) {
	if !p.Gone {
		return
	}
	content, err := contentOf(p.Status)
	if err != nil {
		return
	}
	last := resource.DeepCopy()
	last.Object["status"] = content
	auditStatus(resource, last).write(ctx, c.Audit, last)
}

// auditEvent is the line for an Event that was made or counted up.
func auditEvent(resource *unstructured.Unstructured, e plan.Event) audited {
	if logOf(resource) == kinds.LogNothing {
		return audited{}
	}
	severity := "Info"
	if e.Warning {
		severity = "Warning"
	}
	return audited{
		message: fmt.Sprintf(
			statusLine, subject("Event", resource), severity, strings.ToUpper(string(e.Reason)), e.Message,
		),
		fields: []any{telemetry.Reason, string(e.Reason), telemetry.Severity, severity},
	}
}

// subject is what a line is about.
func subject(what string, resource *unstructured.Unstructured) string {
	if logOf(resource) == kinds.LogSnapshot {
		return what + "[Snapshot]"
	}
	return what + "[Job]"
}

// logOf is how the log of changes shows a resource.
func logOf(resource *unstructured.Unstructured) kinds.Log {
	k, _ := kinds.Of(resource.GetKind())
	return k.Log
}

func moved(was, state, problem string) []any {
	fields := []any{telemetry.Was, was, telemetry.State, state}
	if problem != "" {
		fields = append(fields, telemetry.Error, problem)
	}
	return fields
}

// statusText reads fields of a status; empty when one is not there.
func statusText(u *unstructured.Unstructured) func(field string) string {
	return func(field string) string {
		text, _, _ := unstructured.NestedString(u.Object, "status", field)
		return text
	}
}

// meanings say what lifecycle states mean.
var meanings = map[v1beta1.LifecycleState]string{
	v1beta1.LifecycleCreated:     "nothing is done for the resource yet",
	v1beta1.LifecycleSuspended:   "the job is suspended",
	v1beta1.LifecycleUpgrading:   "a new spec is being brought in",
	v1beta1.LifecycleDeployed:    "the spec is deployed, and not stable yet",
	v1beta1.LifecycleStable:      "the spec is deployed and stable",
	v1beta1.LifecycleRollingBack: "the last stable spec is being brought back",
	v1beta1.LifecycleRolledBack:  "the last stable spec is deployed",
	v1beta1.LifecycleFailed:      "the job has failed for good",
	v1beta1.LifecycleDeleting:    "the resource is being deleted",
	v1beta1.LifecycleDeleted:     "nothing is left of the resource",
}
