package sweep

import (
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// fleet is a sweep on its way: of which tick it is and what it may do, what it has done, and what it has learnt for the
// clock, from status alone: whether something moves, and whether something runs, or is due again.
type fleet struct {
	// tick is whose sweep it is, and looks whether its pages are sent to be looked at.
	tick  time.Time
	looks bool
	// began is when it was begun, by the clock of this pod; listed is whether FlinkDeployments could be read, and sent how
	// many pages were sent.
	began  time.Time
	listed bool
	sent   int

	moving, running bool
	complete        bool
	// spread is whether the FlinkDeployments are looked at by shards.
	spread bool
	count  int
	// census counts how they are; nil counts nothing.
	census *census
}

// turn is when the next page is sent, from the beginning on.
func (f *fleet) turn(apart time.Duration) time.Duration {
	return min(time.Duration(f.sent)*apart, pacedFor)
}

// add adds the resources of a page that are this installation's.
func (f *fleet) add(k kind, list *unstructured.UnstructuredList, watches func(string) bool) {
	for i := range list.Items {
		if u := &list.Items[i]; watches(u.GetNamespace()) {
			f.addOne(k, u)
			f.census.addObject(k, u)
		}
	}
}

// addOne adds a resource. One of a counted kind that no pass has seen moves, but a canary.
func (f *fleet) addOne(k kind, u *unstructured.Unstructured) {
	f.moving = f.moving || moves(u)
	if !k.Counted {
		return
	}
	f.count++
	situation, _, _ := unstructured.NestedString(u.Object, "status", "situation")
	canary := strings.EqualFold(u.GetLabels()[v1beta1.LabelCanary], "true")
	f.moving = f.moving || (situation == "" && !canary)
	f.running = f.running || k.Running(u.Object) || reconciling(u)
}

// moves reports whether a pass left the resource in transition.
func moves(u *unstructured.Unstructured) bool {
	pace, _, _ := unstructured.NestedString(u.Object, "status", "pace")
	return pace == string(v1beta1.PaceFast)
}

// reconciling reports whether status says that something goes on, or waits for its next attempt.
func reconciling(u *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	return slices.ContainsFunc(conditions, func(c any) bool {
		condition, _ := c.(map[string]any)
		return condition["type"] == summary.Reconciling && condition["status"] == string(metav1.ConditionTrue)
	})
}
