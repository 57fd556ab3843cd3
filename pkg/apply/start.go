package apply

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// prepare creates a cluster's objects without running it: the Deployment with zero replicas, then, owned by it, the
// others, a standalone cluster's TaskManagers without replicas, too. Objects are created, never patched into another
// start. One that exists is ours if it carries our operation; another operation's is deleted by its UID and the round
// comes again, so that an object of a start that lost is never used by one that won.
func (c *Executor) prepare(ctx context.Context, r *round, a plan.PrepareStart) error {
	jm := a.Cluster.JobManager.DeepCopy()
	none := int32(0)
	jm.Spec.Replicas = &none
	object := kube.Object{Resource: kube.Deployments, Namespace: jm.Namespace, Name: jm.Name}
	made, fresh, err := c.createOnce(ctx, r, piece{object: object, body: jm, operation: a.Operation})
	if err != nil {
		return err
	}
	owned := a.Cluster.OwnedBy(made.GetUID())
	var group errgroup.Group
	create := func(object kube.Object, body any) {
		group.Go(func() error {
			_, _, err := c.createOnce(
				ctx, r, piece{object: object, body: body, operation: a.Operation, owner: made.GetUID(), looks: !fresh},
			)
			return err
		})
	}
	for _, o := range owned.Services {
		create(kube.Object{Resource: kube.Services, Namespace: o.Namespace, Name: o.Name}, o)
	}
	for _, o := range owned.ConfigMaps {
		create(kube.Object{Resource: kube.ConfigMaps, Namespace: o.Namespace, Name: o.Name}, o)
	}
	for _, o := range owned.Secrets {
		create(kube.Object{Resource: kube.Secrets, Namespace: o.Namespace, Name: o.Name}, o)
	}
	if tm := owned.TaskManager; tm != nil {
		tm.Spec.Replicas = &none
		create(kube.Object{Resource: kube.Deployments, Namespace: tm.Namespace, Name: tm.Name}, tm)
	}
	if err := group.Wait(); err != nil {
		return err
	}
	r.prepared, r.jobManager = cluster.Companions(a.Cluster), made
	return nil
}

// piece is one object of a prepared start.
type piece struct {
	object    kube.Object
	body      any
	operation string
	// owner is the UID of the Deployment that owns it; empty for the Deployment itself.
	owner types.UID
	// looks asks before it creates: where an earlier pass has been at work the object is there most likely, and a Service
	// that is created in vain costs the API server an address and a lock.
	looks bool
}

// createOnce creates an object, or finds the one that this operation created before. fresh reports which.
func (c *Executor) createOnce(
	ctx context.Context, r *round, p piece,
) (made *unstructured.Unstructured, fresh bool, err error) {
	if p.looks {
		there, found, err := c.Kube.Get(ctx, p.object)
		if err != nil {
			return nil, false, err
		}
		if found {
			made, err = c.takeOver(ctx, r, p, there)
			return made, false, err
		}
	}
	made, err = c.create(ctx, p)
	if err == nil || !apierrors.IsAlreadyExists(err) {
		return made, true, err
	}
	there, found, err := c.Kube.Get(ctx, p.object)
	switch {
	case err != nil:
		return nil, false, err
	case !found:
		return nil, false, fail.Waitingf("create "+p.object.String(), "ObjectGoing", "the object of an earlier start was "+
			"just deleted")
	}
	made, err = c.takeOver(ctx, r, p, there)
	return made, false, err
}

// takeOver answers for an object that is there: ours, or left behind by another operation of this cluster, or with a
// Deployment of this one that is gone, which is replaced: the garbage collector would take it from under the start.
func (c *Executor) takeOver(
	ctx context.Context, r *round, p piece, there *unstructured.Unstructured,
) (*unstructured.Unstructured, error) {
	op := "create " + p.object.String()
	switch {
	case there.GetDeletionTimestamp() != nil:
		return nil, fail.Waitingf(op, "ObjectGoing", "the object of an earlier start is being deleted")
	case there.GetAnnotations()[v1beta1.AnnotationOperation] == p.operation && (p.owner == "" || ownedBy(there, p.owner)):
		return there, nil
	case p.owner == "":
		return nil, fail.Conflictf(op, "OtherOperation", "a Deployment of another operation is there")
	case !leftBehind(there, r.object.Name):
		return nil, fail.Invalidf(
			op, "ForeignObject", "an object of that name is there and is not ours; rename or delete it",
		)
	}
	if err := c.stillOpen(ctx, r, p.operation); err != nil {
		return nil, err
	}
	if err := c.Kube.Delete(ctx, p.object, there.GetUID()); err != nil {
		return nil, err
	}
	return c.create(ctx, p)
}

// addresses is how many Services one pod creates at the same time. The API server gives out their addresses one after
// the other; more requests at once only make each of them run into its deadline, and be made again.
const addresses = 4

// create makes the object, a Service when its turn has come.
func (c *Executor) create(ctx context.Context, p piece) (*unstructured.Unstructured, error) {
	if p.object.Resource == kube.Services {
		c.ready.Do(func() { c.addresses = semaphore.NewWeighted(addresses) })
		if err := c.addresses.Acquire(ctx, 1); err != nil {
			return nil, fail.As(fail.Transient, "create "+p.object.String(), ReasonBudget, err)
		}
		defer c.addresses.Release(1)
	}
	return c.Kube.Create(ctx, p.object, p.body)
}

// leftBehind reports whether an object of ours belongs to a JobManager Deployment of the cluster's own name, present or
// past, or to none any more: a Deployment that is deleted with propagation Orphan leaves it so.
func leftBehind(u *unstructured.Unstructured, cluster string) bool {
	owners := u.GetOwnerReferences()
	ours := u.GetAnnotations()[v1beta1.AnnotationOperation] != ""
	return ours && (len(owners) == 0 || slices.ContainsFunc(owners, func(o metav1.OwnerReference) bool {
		return o.Kind == "Deployment" && o.Name == cluster
	}))
}

func ownedBy(u *unstructured.Unstructured, owner types.UID) bool {
	return slices.ContainsFunc(u.GetOwnerReferences(), func(o metav1.OwnerReference) bool { return o.UID == owner })
}

// stillOpen reads the resource again: only the pass whose intent is open may remove another operation's object.
func (c *Executor) stillOpen(ctx context.Context, r *round, operation string) error {
	_, err := c.openStep(ctx, r, operation)
	return err
}

// notReleased is the same, of an intent whose start no other pass has released meanwhile: what was prepared runs then.
func (c *Executor) notReleased(ctx context.Context, r *round, operation string) error {
	step, err := c.openStep(ctx, r, operation)
	if err == nil && step == v1beta1.StepReleased {
		err = fail.Conflictf(
			"remove what was prepared", "StartReleased", "operation %s of %s was released", operation, r.object,
		)
	}
	return err
}

// openStep reads which step the open intent of the resource is at, if that is the one of this operation.
func (c *Executor) openStep(ctx context.Context, r *round, operation string) (v1beta1.IntentStep, error) {
	now, found, err := c.Kube.Get(ctx, r.object)
	if err != nil {
		return "", err
	}
	if found {
		open, _, _ := unstructured.NestedString(now.Object, "status", "intent", "operationID")
		step, _, _ := unstructured.NestedString(now.Object, "status", "intent", "step")
		if open == operation {
			return v1beta1.IntentStep(step), nil
		}
	}
	return "", fail.Conflictf(
		"prepare a start", "IntentClosed", "operation %s is no longer the open intent of %s", operation, r.object,
	)
}

// release gives a prepared Deployment its replicas. Its UID and its operation are the preconditions, and only a
// recorded release is carried out. A Deployment that is gone, or out of service, is a conflict: the next look tells.
func (c *Executor) release(ctx context.Context, a plan.Release) error {
	_, err := c.Kube.JSONPatch(ctx, kube.Object{Resource: kube.Deployments, Namespace: a.Namespace, Name: a.Name},
		[]kube.PatchOperation{
			{Op: "test", Path: "/metadata/uid", Value: string(a.UID)},
			{Op: "test", Path: "/metadata/annotations/" + kube.PointerToken(v1beta1.AnnotationOperation), Value: a.Operation},
			{Op: "test", Path: "/spec/replicas", Value: 0},
			{Op: "replace", Path: "/spec/replicas", Value: a.Replicas},
			{
				Op: "add", Path: "/metadata/annotations/" + kube.PointerToken(v1beta1.AnnotationReleased),
				Value: a.At.UTC().Format(time.RFC3339),
			},
		})
	if apierrors.IsNotFound(err) || apierrors.IsInvalid(err) {
		return fail.As(fail.Conflict, "release "+a.Name, "ClusterGone", err)
	}
	return err
}
