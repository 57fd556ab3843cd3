package summary

import (
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CheckConditions tells what is wrong with a list of conditions of a resource
// with the given generation; nil means nothing. Tests run it on every status
// they see:
//
//   - Ready is present and is what DeriveReady makes of the others;
//   - Reconciling and Stalled are not both True, and only True when present;
//   - no type is there twice, and the list is in order;
//   - of the types of this package, no observed generation is ahead of the
//     resource or missing, and status, reason and message have the form that
//     metav1.Condition asks for.
func CheckConditions(list []metav1.Condition, generation int64) error {
	var problems []error
	fault := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }

	ready := find(list, Ready)
	if ready == nil {
		fault("condition %s is missing", Ready)
	} else if want := DeriveReady(list); ready.Status != want.Status || ready.Reason != want.Reason ||
		ready.Message != want.Message {
		fault(
			"condition %s is %s (%s), the others make it %s (%s)", Ready, ready.Status, ready.Reason, want.Status,
			want.Reason,
		)
	}
	reconciling, stalled := find(list, Reconciling), find(list, Stalled)
	if reconciling != nil && stalled != nil {
		fault("conditions %s and %s exclude each other", Reconciling, Stalled)
	}
	for _, c := range []*metav1.Condition{reconciling, stalled} {
		if c != nil && c.Status != metav1.ConditionTrue {
			fault("condition %s is there but %s: leave it out instead", c.Type, c.Status)
		}
	}
	if !slices.IsSortedFunc(list, byOrder) {
		fault("conditions are not in order")
	}
	for i := range list {
		if find(list[:i], list[i].Type) != nil {
			fault("condition %s is there twice", list[i].Type)
		}
		if slices.Contains(order, list[i].Type) {
			problems = append(problems, checkForm(&list[i], generation)...)
		}
	}
	return errors.Join(problems...)
}

// CheckEnds tells that kstatus, and with it Flux, Argo CD, "kubectl wait" and
// "helm --wait", would wait for a resource that waits for nothing: Ready is not
// True, and neither Reconciling nor Stalled says why. Tests run it on every
// status they see; nil means nothing.
func CheckEnds(list []metav1.Condition) error {
	ready := find(list, Ready)
	if ready == nil || ready.Status == metav1.ConditionTrue ||
		find(list, Reconciling) != nil || find(list, Stalled) != nil {
		return nil
	}
	return fmt.Errorf(
		"condition %s is %s (%s), with neither %s nor %s: kstatus never ends", Ready, ready.Status, ready.Reason,
		Reconciling, Stalled,
	)
}

func checkForm(c *metav1.Condition, generation int64) []error {
	var problems []error
	must := func(ok bool, what string) {
		if !ok {
			problems = append(problems, fmt.Errorf("condition %s: %s", c.Type, what))
		}
	}
	must(c.ObservedGeneration <= generation, "its observed generation is ahead of the resource")
	must(c.Type == Running || generation == 0 || c.ObservedGeneration > 0, "it has no observed generation")
	must(knownStatus(c.Status) == c.Status, "its status is none of True, False, Unknown")
	must(validReason(c.Reason), "its reason is not one CamelCase word")
	must(c.Message == OneLine(c.Message, MaxMessageLength), "its message is not one bounded line")
	must(!c.LastTransitionTime.IsZero(), "it has no transition time")
	return problems
}
