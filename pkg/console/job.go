package console

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/view"
	"github.com/kn-flink/kn-flink/pkg/view/advice"
	"github.com/kn-flink/kn-flink/pkg/view/edit"
)

// Job is the page of one resource: what kn flink describe shows, and more.
type Job struct {
	view.Job `json:",inline"`
	// Why says why it is so and what to do: what kn flink why shows.
	Why view.Story `json:"why"`
	// Owner is the GitOps tool that it comes from; empty for none.
	Owner string `json:"owner,omitempty"`
	// Decisions belong to the autoscaler that are kept, the oldest first.
	Decisions []autoscaler.Explanation `json:"decisions,omitempty"`
	// Timeline are the moments that are known, the oldest first.
	Timeline []view.Moment `json:"timeline,omitempty"`
	// History are the last starts; nil where none is kept.
	History *view.History `json:"history,omitempty"`
	// Buttons are the changes that the user may make; none where changes are off.
	Buttons []Button `json:"buttons,omitempty"`
	// Lacks names the rights whose lack takes buttons away.
	Lacks []string `json:"lacks,omitempty"`
	// Exceptions are the events of failures that Flink reported, the oldest first.
	Exceptions []view.Event `json:"exceptions,omitempty"`
}

// exception is the reason of the events of a job's failures.
const exception = "JobException"

// Below are the resources of a kind below this one.
func (j Job) Below(kind string) (rows []view.Row) {
	for _, r := range j.Related {
		if r.Ref.Kind == kind {
			rows = append(rows, r)
		}
	}
	return rows
}

// HasLogs is whether it has pods of which logs can be read.
func (j Job) HasLogs() bool {
	k, known := kinds.Of(j.Ref.Kind)
	return known && k.Counted
}

// Plans is whether it can be said what an edit would do.
func (j Job) Plans() bool {
	k, known := kinds.Of(j.Ref.Kind)
	return known && k.Pods
}

// object reads the resource that the path names.
func (v *visit) object(ctx context.Context) (*unstructured.Unstructured, error) {
	kind, _ := kindOf(v.PathValue("kind")) // the path was checked
	o := kube.Object{Resource: kind.Resource, Namespace: v.PathValue("namespace"), Name: v.PathValue("name")}
	u, there, err := v.Get(ctx, o)
	if err != nil {
		return nil, err
	}
	if !there {
		return nil, &problem{http.StatusNotFound, "There is nothing of this name", fmt.Sprintf("No %s is named %s in "+
			"namespace %s: it was deleted, or the cluster does not have the kind. The page Jobs shows what there is.",
			kind.Name, o.Name, o.Namespace)}
	}
	return u, nil
}

func readJob(ctx context.Context, v *visit) (shown, error) {
	u, err := v.object(ctx)
	if err != nil {
		return shown{}, err
	}
	seen := v.Seen(ctx, u, func() time.Time { return v.now })
	j := Job{Job: view.JobOf(seen), Why: view.Why(seen), Owner: edit.Owner(u)}
	j.Timeline = j.Moments()
	var unreadable []string
	j.History = v.history(ctx, u, &j.Unreadable)
	j.Buttons, j.Lacks = v.buttons(ctx, u)
	if j.HasAutoscaler() {
		j.Decisions, unreadable = v.Decisions(ctx, j.Namespace, j.Name)
	}
	j.Unreadable = append(j.Unreadable, unreadable...)
	for _, e := range j.Events {
		if e.Reason == exception {
			j.Exceptions = append(j.Exceptions, e)
		}
	}
	moves := j.Need == view.NeedTime
	for _, r := range j.Related {
		moves = moves || r.Need == view.NeedTime
	}
	return shown{title: j.Name, view: j, moves: moves, told: j.Line()}, nil
}

// Pair is whether it has two sides.
func (j Job) Pair() bool { return j.Ref.Kind == v1beta1.KindFlinkBlueGreenDeployment }

// Reason is the page of one reason.
type Reason struct {
	// Reason is the word.
	Reason string `json:"reason"`
	// Means is its meaning, Do what to do about it, Look a command that shows the evidence.
	Means string `json:"means"`
	Do    string `json:"do"`   // what to do
	Look  string `json:"look"` // a command
}

func readReason(_ context.Context, v *visit) (shown, error) {
	word := v.PathValue("reason")
	a, known := advice.Of(word, "flinkdep", "NAME")
	if !known {
		return shown{}, &problem{
			http.StatusNotFound, "There is no such reason", "This version knows no reason " + word + ".",
		}
	}
	return shown{title: word, view: Reason{word, a.Means, a.Do, a.Look}}, nil
}
