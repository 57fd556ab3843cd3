package serving

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// drainPoll lies between two looks at a revision that is to go and still has requests.
const drainPoll = 200 * time.Millisecond

func ofFunctions(o *metav1.ListOptions) { o.LabelSelector = labelService }

// reconcile makes the revision of a Service and moves the requests to it once it answers.
func (s *Server) reconcile(ctx context.Context, name types.NamespacedName) (time.Duration, error) {
	object, err := s.object(name.Namespace, name.Name)
	if apierrors.IsNotFound(err) {
		s.forget(name) // the garbage collector takes its Deployments
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	svc, err := read(object)
	if err != nil {
		return 0, s.report(ctx, object, outcome{reason: "Invalid", message: err.Error(), failed: true})
	}
	conf, err := svc.settings()
	if err != nil {
		return 0, s.report(ctx, object, outcome{reason: "Invalid", message: err.Error(), failed: true})
	}
	image, err := s.options.Image(ctx, svc.Spec.Template.Spec.Containers[0].Image)
	if err != nil {
		return 0, s.report(ctx, object, outcome{reason: "ContainerMissing", message: err.Error(), failed: true})
	}
	f, revision := s.function(name.Namespace, name.Name), svc.revision()
	deployment, err := s.ensure(ctx, svc, image, conf)
	if err != nil {
		return 0, err
	}
	ready := svc.Status.LatestReady == revision || conf.initial == 0 || f.isAnswering(revision)
	if !ready {
		out := outcome{
			created: revision, ready: f.servingRevision(), reason: "Deploying",
			message: "the first pod of " + revision + " does not answer yet",
		}
		if t := f.trouble(revision); t != "" {
			out.reason, out.message, out.failed = "RevisionFailed", t, true
		}
		return 0, s.report(ctx, object, out)
	}
	if f.servingRevision() != revision {
		f.serve(revision, conf, int(*deployment.Spec.Replicas))
	}
	if err := s.report(ctx, object, outcome{created: revision, ready: revision}); err != nil {
		return 0, err
	}
	return s.retire(ctx, f, revision)
}

// ensure returns the revision's Deployment, made if it is not there.
func (s *Server) ensure(ctx context.Context, svc *service, image string, conf settings) (*appsv1.Deployment, error) {
	deployments := s.client.AppsV1().Deployments(svc.Namespace)
	replicas := int32(max(conf.initial, conf.scale.Min))
	if f := s.function(svc.Namespace, svc.Name); f.servingRevision() == svc.revision() {
		replicas = int32(max(0, f.state().Wanted))
	}
	wanted := makeDeployment(svc, image, conf, replicas)
	have, err := deployments.Get(ctx, wanted.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return deployments.Create(ctx, wanted, metav1.CreateOptions{})
	case err != nil:
		return nil, err
	case !metav1.IsControlledBy(have, svc):
		return nil, fmt.Errorf(
			"deployment %s belongs to another Service, or to an earlier one of this name that is being deleted", wanted.Name,
		)
	case have.Spec.Template.Spec.Containers[0].Image != image: // built anew from an image name that did not change
		have.Spec.Template = wanted.Spec.Template
		return deployments.Update(ctx, have, metav1.UpdateOptions{})
	}
	return have, nil
}

// retire deletes the Deployments of other revisions, each when its last request is answered.
func (s *Server) retire(ctx context.Context, f *function, revision string) (time.Duration, error) {
	deployments := s.client.AppsV1().Deployments(f.namespace)
	list, err := deployments.List(ctx, metav1.ListOptions{LabelSelector: labelService + "=" + f.name})
	if err != nil {
		return 0, err
	}
	wait := time.Duration(0)
	for _, d := range list.Items {
		other := d.Labels[labelRevision]
		switch {
		case other == revision || d.DeletionTimestamp != nil:
		case f.isBusy(other):
			wait = drainPoll
		default:
			if err := deployments.Delete(ctx, d.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
				return 0, err
			}
		}
	}
	return wait, nil
}

func (s *Server) scaleTo(ctx context.Context, r resize) error {
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"replicas": r.replicas}})
	if err != nil {
		return err
	}
	_, err = s.client.AppsV1().Deployments(r.namespace).Patch(
		ctx, r.revision+"-deployment", types.MergePatchType, patch, metav1.PatchOptions{},
	)
	return err
}

func (s *Server) forget(name types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.functions, key(name.Namespace, name.Name))
}

func (f *function) isAnswering(revision string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.answering(revision) > 0
}

func (f *function) servingRevision() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.serving
}

func (f *function) isBusy(revision string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.pods {
		if p.inFlight > 0 && p.object.Labels[labelRevision] == revision {
			return true
		}
	}
	return false
}

// forgetScale lets the next decision ask again for what could not be had.
func (f *function) forgetScale(r resize) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.serving == r.revision && f.wanted == r.replicas {
		f.wanted = unknown
	}
}

// unknown number of pods: any decision is a change.
const unknown = -1
