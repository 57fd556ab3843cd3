package world

import (
	"maps"
	"slices"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
	"github.com/kn-flink/kn-flink/pkg/redact"
)

// Hide makes a text fit to be told: without the secrets of the resource and of the operator, and without what looks
// like one.
func (v *Look) Hide(text string) string {
	if text == "" {
		return ""
	}
	if v.secrets == nil {
		specs := append([]*v1beta1.FlinkDeploymentSpec{&v.Seen.Resource.Spec}, v.Seen.OtherSpecs...)
		for _, recorded := range []*v1beta1.ReconciledDeployment{v.Last, v.LastStable} {
			if recorded != nil {
				specs = append(specs, &recorded.Spec)
			}
		}
		known := flinkconf.Secrets(v.Seen.Operator, specs...)
		v.secrets = &known
	}
	return v.secrets.Text(text)
}

// Shown is Hide for a text that leaves the plan: where the installation wants classes alone, it has no message of a
// Java exception either. Rules read messages, so they stay in what was seen.
func (v *Look) Shown(text string) string {
	text = v.Hide(text)
	if v.Config().Get(key.ExceptionMessages) == "class-only" {
		return redact.Classes(text)
	}
	return text
}

// HideEvent makes an event fit to be told.
func HideEvent(v *Look, e plan.Event) plan.Event {
	e.Message = v.Shown(e.Message)
	e.Annotations = maps.Clone(e.Annotations)
	for name, text := range e.Annotations {
		e.Annotations[name] = v.Shown(text)
	}
	return e
}

// Renew takes over what was seen since. What follows from it is derived anew, and questions that were asked leave
// nothing. Secrets in what Flink says are hidden, before our words are put around it: who read it may have cut it, and
// what is left of a secret then is hidden, too, see package redact. What is hidden already stays as it is.
func Renew(v *Look) {
	v.secrets, v.Autoscaler, v.Objected = nil, nil, false
	flink := &v.Seen.Flink
	flink.Failure, flink.FailureTrace = plan.Within(flink.Failure, v.Hide), v.Hide(flink.FailureTrace)
	flink.Stop = plan.Within(flink.Stop, func(p StopProgress) StopProgress {
		p.Cause = v.Hide(p.Cause)
		return p
	})
	flink.Exceptions = plan.Within(flink.Exceptions, func(entries []exceptions.Entry) []exceptions.Entry {
		entries = slices.Clone(entries)
		for i := range entries {
			entries[i].StackTrace = v.Hide(entries[i].StackTrace)
			entries[i].Labels = maps.Clone(entries[i].Labels)
			for name, text := range entries[i].Labels {
				entries[i].Labels[name] = v.Hide(text)
			}
		}
		return entries
	})
	request := func(o snapshots.Operation) snapshots.Operation {
		o.Failure = v.Hide(o.Failure)
		return o
	}
	flink.Requests.Savepoint, flink.Requests.Checkpoint = plan.Within(
		flink.Requests.Savepoint, request,
	), plan.Within(flink.Requests.Checkpoint, request)
}
