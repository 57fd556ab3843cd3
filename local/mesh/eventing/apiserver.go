package eventing

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"knative.dev/eventing/pkg/adapter/apiserver"
	adapterv2 "knative.dev/eventing/pkg/adapter/v2"
	sourcesv1 "knative.dev/eventing/pkg/apis/sources/v1"
	duckv1 "knative.dev/pkg/apis/duck/v1"
	kubeclient "knative.dev/pkg/client/injection/kube/client"
	"knative.dev/pkg/injection/clients/dynamicclient"
	"knative.dev/pkg/logging"
)

// retryAdapter lies between two starts of an adapter that cannot run yet, as for a kind that is not installed.
const retryAdapter = time.Second

// adapter is a receive adapter that runs: what would be a pod.
type adapter struct {
	config apiserver.Config
	sink   string
	cancel context.CancelFunc
}

// reconcileAPIServerSource runs the source's adapter with its service account.
func (e *Eventing) reconcileAPIServerSource(ctx context.Context, name types.NamespacedName) (time.Duration, error) {
	have, err := e.informers.Sources().V1().ApiServerSources().Lister().ApiServerSources(name.Namespace).Get(name.Name)
	if apierrors.IsNotFound(err) {
		e.endAdapter(name)
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	s := have.DeepCopy()
	again := e.fillAPIServerSource(ctx, s)
	if equality.Semantic.DeepEqual(have.Status, s.Status) {
		return again, nil
	}
	_, err = e.knative.SourcesV1().ApiServerSources(s.Namespace).UpdateStatus(ctx, s, metav1.UpdateOptions{})
	return again, ignoreChanged(err)
}

func (e *Eventing) fillAPIServerSource(ctx context.Context, s *sourcesv1.ApiServerSource) time.Duration {
	name := types.NamespacedName{Namespace: s.Namespace, Name: s.Name}
	s.Status.ObservedGeneration = s.Generation
	s.Status.InitializeConditions()
	s.Status.MarkOIDCIdentityCreatedSucceededWithReason("OIDCDisabled", "")
	to, err := e.resolve(ctx, s.Spec.Sink, s.Namespace)
	if err != nil {
		s.Status.MarkNoSink("NotFound", "%v", err)
		return retryResolve
	}
	s.Status.MarkSink(&duckv1.Addressable{URL: to})
	if s.Status.Namespaces, err = e.namespaces(ctx, s); err != nil {
		return retryAdapter
	}
	config, err := adapterConfig(s)
	conditions := s.GetConditionSet().Manage(&s.Status)
	if err != nil {
		conditions.MarkFalse(sourcesv1.ApiServerConditionDeployed, "Invalid", "%v", err)
		return 0
	}
	missing, err := e.missingRights(ctx, s, config)
	if err != nil || missing != "" {
		s.Status.MarkNoSufficientPermissions("", "User %s cannot %s", account(s), missing)
		return retryAdapter
	}
	s.Status.MarkSufficientPermissions()
	if err := e.runAdapter(ctx, s, name, config); err != nil {
		conditions.MarkFalse(sourcesv1.ApiServerConditionDeployed, "AdapterFailed", "%v", err)
		return retryAdapter
	}
	conditions.MarkTrue(sourcesv1.ApiServerConditionDeployed)
	return 0
}

// namespaces are those that the source selects. A selector is looked at once, when the source changes.
func (e *Eventing) namespaces(ctx context.Context, s *sourcesv1.ApiServerSource) ([]string, error) {
	selector := s.Spec.NamespaceSelector
	switch {
	case selector == nil:
		return []string{s.Namespace}, nil
	case len(selector.MatchLabels)+len(selector.MatchExpressions) == 0:
		return []string{metav1.NamespaceAll}, nil
	}
	list, err := e.client.CoreV1().Namespaces().List(
		ctx, metav1.ListOptions{LabelSelector: metav1.FormatLabelSelector(selector)},
	)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, n := range list.Items {
		out = append(out, n.Name)
	}
	return out, nil
}

// adapterConfig is what the reconciler of the real one gives its adapter.
func adapterConfig(s *sourcesv1.ApiServerSource) (apiserver.Config, error) {
	c := apiserver.Config{
		Namespaces:    s.Status.Namespaces,
		AllNamespaces: reflect.DeepEqual(s.Status.Namespaces, []string{metav1.NamespaceAll}),
		ResourceOwner: s.Spec.ResourceOwner, EventMode: s.Spec.EventMode, Filters: s.Spec.Filters,
	}
	if c.EventMode == "" {
		c.EventMode = sourcesv1.ReferenceMode
	}
	for _, r := range s.Spec.Resources {
		gv, err := schema.ParseGroupVersion(r.APIVersion)
		if err != nil {
			return c, err
		}
		resource, _ := meta.UnsafeGuessKindToResource(gv.WithKind(r.Kind))
		w := apiserver.ResourceWatch{GVR: resource}
		if r.LabelSelector != nil {
			selector, err := metav1.LabelSelectorAsSelector(r.LabelSelector)
			if err != nil {
				return c, err
			}
			w.LabelSelector = selector.String()
		}
		c.Resources = append(c.Resources, w)
	}
	return c, nil
}

func account(s *sourcesv1.ApiServerSource) string {
	name := s.Spec.ServiceAccountName
	if name == "" {
		name = "default"
	}
	return "system:serviceaccount:" + s.Namespace + ":" + name
}

// missingRights are the verbs that the service account lacks, in words.
func (e *Eventing) missingRights(
	ctx context.Context, s *sourcesv1.ApiServerSource, c apiserver.Config,
) (string, error) {
	var missing []string
	for _, r := range c.Resources {
		for _, ns := range c.Namespaces {
			for _, verb := range []string{"get", "list", "watch"} {
				review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
					User: account(s),
					ResourceAttributes: &authorizationv1.ResourceAttributes{
						Namespace: ns, Verb: verb, Group: r.GVR.Group, Resource: r.GVR.Resource,
					},
				}}
				answer, err := e.client.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
				if err != nil {
					return "", err
				}
				if !answer.Status.Allowed {
					missing = append(
						missing,
						fmt.Sprintf("%s resource %q in API group %q in namespace %q", verb, r.GVR.Resource, r.GVR.Group, ns),
					)
				}
			}
		}
	}
	return strings.Join(missing, ", "), nil
}

// runAdapter starts Knative's adapter, or leaves alone the one that runs with the same configuration.
func (e *Eventing) runAdapter(
	ctx context.Context, s *sourcesv1.ApiServerSource, name types.NamespacedName, c apiserver.Config,
) error {
	sink := s.Status.SinkURI.String()
	e.mu.Lock()
	have := e.adapters[name]
	e.mu.Unlock()
	if have != nil && have.sink == sink && reflect.DeepEqual(have.config, c) {
		return nil
	}
	running, cancel := context.WithCancel(logging.WithLogger(context.Background(), e.logger.Sugar()))
	start, err := e.makeAdapter(running, s, c)
	if err == nil {
		err = e.known(ctx, c)
	}
	if err != nil {
		cancel()
		return err
	}
	// The old one ends only now: a rollout has both for a moment.
	e.endAdapter(name)
	e.mu.Lock()
	e.adapters[name] = &adapter{config: c, sink: sink, cancel: cancel}
	e.mu.Unlock()
	e.ended.Go(func() {
		if err := start(running); err != nil && running.Err() == nil {
			fmt.Fprintf(
				e.options.Log, "%s apiserversource %s: its adapter ended: %v\n", time.Now().Format(time.RFC3339), name, err,
			)
		}
	})
	return nil
}

// known fails while a kind is not served: the real adapter's pod would crash until it is.
func (e *Eventing) known(_ context.Context, c apiserver.Config) error {
	for _, r := range c.Resources {
		if _, err := e.client.Discovery().ServerResourcesForGroupVersion(r.GVR.GroupVersion().String()); err != nil {
			return fmt.Errorf("%s: %w", r.GVR, err)
		}
	}
	return nil
}

func (e *Eventing) endAdapter(name types.NamespacedName) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if a := e.adapters[name]; a != nil {
		a.cancel()
		delete(e.adapters, name)
	}
}

// makeAdapter makes one as its command does: clients of the service account in the context, the rest as environment.
func (e *Eventing) makeAdapter(
	ctx context.Context, s *sourcesv1.ApiServerSource, c apiserver.Config,
) (func(context.Context) error, error) {
	_, name, _ := strings.Cut(strings.TrimPrefix(account(s), "system:serviceaccount:"), ":")
	rest, err := e.options.ServiceAccount(ctx, s.Namespace, name)
	if err != nil {
		return nil, err
	}
	dyn, err := dynamic.NewForConfig(rest)
	if err != nil {
		return nil, err
	}
	client, err := kubernetes.NewForConfig(rest)
	if err != nil {
		return nil, err
	}
	ctx = context.WithValue(ctx, dynamicclient.Key{}, dyn)
	ctx = context.WithValue(ctx, kubeclient.Key{}, client)
	ctx = context.WithValue(ctx, apiserver.Key{}, rest.Host)
	config, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	// The type of the environment is not exported, its fields are.
	env := apiserver.NewEnvConfig()
	fields, err := json.Marshal(map[string]string{
		"Component": "apiserversource", "Namespace": s.Namespace, "Name": s.Name, "Sink": s.Status.SinkURI.String(),
		"ConfigJson":     string(config),
		"EnvSinkTimeout": noTimeout,
	})
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(fields, env); err != nil {
		return nil, err
	}
	sender, err := adapterv2.NewClient(adapterv2.ClientConfig{Env: env, CeOverrides: s.Spec.CloudEventOverrides})
	if err != nil {
		return nil, err
	}
	return apiserver.NewAdapter(ctx, env, sender).Start, nil
}
