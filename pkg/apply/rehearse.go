package apply

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/rehearsal"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// Reasons of a rehearsal that did not end with yes.
const (
	// ReasonRefusedByKubernetes: the API server refuses something; the error is Invalid.
	ReasonRefusedByKubernetes = string(plan.ReasonRefusedByKubernetes)
	// ReasonNotRehearsed: it cannot say so now; the error is Transient.
	ReasonNotRehearsed = string(plan.ReasonNotRehearsed)
)

// rehearse shows every object of a start to the API server, all at once, as dry runs. Only where a quota refuses, the
// running cluster's pods are listed.
func (c *Executor) rehearse(ctx context.Context, a plan.Rehearse) error {
	answers := make([]rehearsal.Answer, len(a.Pieces))
	var group sync.WaitGroup
	for i, p := range a.Pieces {
		group.Go(func() { answers[i] = c.show(ctx, a, p) })
	}
	group.Wait() // every failure is an answer
	if overdue(ctx) {
		return fail.As(fail.Transient, a.String(), ReasonOverdue, context.DeadlineExceeded)
	}
	running := rehearsal.Running{}
	if rehearsal.NeedsRunning(answers) {
		var err error
		if running.Pods, err = c.runningPods(ctx, a); err != nil {
			return fail.As(fail.Transient, a.String(), ReasonNotRehearsed, err)
		}
		for i := range answers {
			if err := c.replaces(ctx, a, &answers[i]); err != nil {
				return fail.As(fail.Transient, a.String(), ReasonNotRehearsed, err)
			}
		}
	}
	switch v := rehearsal.Judge(answers, running); v.Said {
	case rehearsal.Taken:
		return nil
	case rehearsal.Refused:
		return fail.Invalidf("", ReasonRefusedByKubernetes, "%s", v.Message)
	default:
		return fail.Transientf("", ReasonNotRehearsed, "%s", v.Message)
	}
}

func objectOf(a plan.Rehearse, p rehearsal.Piece) kube.Object {
	return kube.Object{Resource: kube.Owned(p.Kind), Namespace: a.Namespace, Name: p.Object.GetName()}
}

// show asks about one object.
//
//	the API server                                         says
//	takes it                                               Taken
//	has one of the name, which goes with what runs         Taken
//	has one of the name, which is somebody else's          Refused
//	refuses a pod because this account may not make any    Unjudged: others make it
//	calls a webhook that cannot be asked in a dry run      Unjudged
//	refuses it otherwise                                   Refused
//	fails, is busy, or gives this account no say           Away
func (c *Executor) show(ctx context.Context, a plan.Rehearse, p rehearsal.Piece) rehearsal.Answer {
	answer := rehearsal.Answer{Piece: p, Said: rehearsal.Taken}
	err := c.Kube.DryRun(ctx, objectOf(a, p), p.Object)
	if apierrors.IsAlreadyExists(err) {
		err = c.ownPlace(ctx, a, p)
	}
	if err == nil {
		return answer
	}
	answer.Reason, answer.Message = fail.ReasonOf(err), apiText(err)
	switch kind := fail.KindOf(err); {
	case strings.Contains(answer.Message, "does not support dry run"), p.Kind == kube.KindPod && lacksRight(err):
		answer.Said = rehearsal.Unjudged
	case apierrors.IsUnauthorized(err):
		answer.Said = rehearsal.Away
	case kind == fail.Invalid || kind == fail.Denied:
		answer.Said = rehearsal.Refused
	default:
		answer.Said = rehearsal.Away
	}
	return answer
}

// apiText is what the API server says itself.
func apiText(err error) string {
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		return status.Status().Message
	}
	return fail.Message(err)
}

// lacksRight reports whether the account lacks the right to create such an object, so that nothing was judged
// (k8s.io/apiserver: responsewriters.ForbiddenStatusError names no object of a create).
func lacksRight(err error) bool {
	return apierrors.IsForbidden(err) && ownRight.MatchString(apiText(err))
}

// ownRight is the API server's text for a right that an account lacks.
var ownRight = regexp.MustCompile(` cannot [a-z]+ resource `)

// ownPlace is an error where an object of a name is somebody else's: nothing would take it away.
func (c *Executor) ownPlace(ctx context.Context, a plan.Rehearse, p rehearsal.Piece) error {
	if p.Kind == kube.KindPod {
		return nil // it was judged before its name was found taken, and a start gives it another
	}
	there, found, err := c.Kube.Get(ctx, objectOf(a, p))
	if err != nil || !found || goesWith(there, a.Name) {
		return err
	}
	return fail.Invalidf("", "ForeignObject", "an object of that name is there and is not ours; rename or delete it")
}

// goesWith reports whether an object goes with the cluster: its Deployment owns it, or its resource, or it is left from
// a start.
func goesWith(u *unstructured.Unstructured, cluster string) bool {
	return leftBehind(u, cluster) || slices.ContainsFunc(u.GetOwnerReferences(), func(o metav1.OwnerReference) bool {
		return o.Name == cluster && (o.Kind == kube.KindDeployment || o.Kind == v1beta1.KindFlinkDeployment)
	})
}

// replaces notes whether the running cluster has the object that a quota refuses.
func (c *Executor) replaces(ctx context.Context, a plan.Rehearse, answer *rehearsal.Answer) error {
	if answer.Kind == kube.KindPod {
		return nil
	}
	there, found, err := c.Kube.Get(ctx, objectOf(a, answer.Piece))
	answer.Replaces = err == nil && found && goesWith(there, a.Name)
	return err
}

// runningPods are the cluster's pods that have not ended.
func (c *Executor) runningPods(ctx context.Context, a plan.Rehearse) ([]*corev1.Pod, error) {
	list, err := c.Kube.List(ctx, kube.Query{
		Resource: kube.Pods, Namespace: a.Namespace,
		Labels: render.PodSelector(a.Name, render.ComponentJobManager, render.ComponentTaskManager),
	})
	if err != nil {
		return nil, err
	}
	var pods []*corev1.Pod
	for i := range list.Items {
		pod := &corev1.Pod{}
		if err := kube.Typed(&list.Items[i], pod); err != nil {
			return nil, err
		}
		if pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed {
			pods = append(pods, pod)
		}
	}
	return pods, nil
}
