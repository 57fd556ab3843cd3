package extension

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
)

// The webhook configurations of config/knative/830-webhooks.yaml. An installation has its own name for each:
// settings.Named.
const (
	// Own is the name of those by which the API server asks admit about its own rules.
	Own = "flink-admit"
	// Name is the name of those by which it asks about those of extensions. They are installed without webhooks.
	Name = "flink-extensions"
	// ValidatorsWebhook and MutatorsWebhook name the webhook of each.
	ValidatorsWebhook = "validators.flink.apache.org"
	MutatorsWebhook   = "mutators.flink.apache.org"
	// ValidatePath and MutatePath are the first parts of the paths where admit is asked.
	ValidatePath = "/validators"
	MutatePath   = "/mutators"
)

// Seconds: coldStart is how long admit may take before it asks, longest the most that the API server waits.
const (
	coldStart = 15
	longest   = 30
)

// API is what Webhooks needs of the API server. kube.Client has it.
type API interface {
	Get(ctx context.Context, o kube.Object) (u *unstructured.Unstructured, found bool, err error)
	MergePatch(ctx context.Context, o kube.Object, patch map[string]any) (*unstructured.Unstructured, error)
}

// Webhooks has the API server ask admit about every change of a spec of the kinds that an extension is for, and about
// nothing where there is none. Safe for concurrent use.
type Webhooks struct {
	// API reads and patches the configurations.
	API API
	// Own and Name are the names of the configurations in this installation; empty: those of the constants.
	Own, Name string
	// Username is that of the function that runs passes: what it writes is not asked about.
	Username string
	// Now is the clock.
	Now func() time.Time

	mu     sync.Mutex
	done   bool
	set    flinkconf.Extensions
	labels []string
	failed time.Time
	why    error // of the last failure
}

const (
	// again is when something that failed is tried again.
	again = 30 * time.Second
	// budget bounds what an event of a function waits for this.
	budget = 3 * time.Second
)

// Keep brings the webhooks to what the settings name. labels are the keys of labels that decide whether a resource is
// this installation's. had says that there may have been others before.
func (w *Webhooks) Keep(ctx context.Context, e flinkconf.Extensions, labels []string, had bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done && equality.Semantic.DeepEqual(w.set, e) && slices.Equal(w.labels, labels) {
		return nil
	}
	none := len(e.Validators) == 0 && len(e.Mutators) == 0
	if !w.done && none && !had {
		w.done, w.set, w.labels = true, e, labels
		return nil
	}
	if w.Now().Sub(w.failed) < again {
		return w.why
	}
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	for _, c := range []calls{
		{"validatingwebhookconfigurations", ValidatorsWebhook, ValidatePath, e.Validators, labels},
		{"mutatingwebhookconfigurations", MutatorsWebhook, MutatePath, e.Mutators, labels},
	} {
		gvr := schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: c.resource}
		if err := w.keep(ctx, gvr, func(admit map[string]any) []any {
			return w.webhooks(c, admit)
		}); err != nil {
			w.failed, w.why = w.Now(), err
			return err
		}
	}
	w.done, w.set, w.labels = true, e, labels
	return nil
}

// calls are what one webhook for extensions is about.
type calls struct {
	// resource is that of its configuration, webhook its name, path the first part of where admit is asked.
	resource, webhook, path string
	// asked are the extensions, labels the keys of labels that Keep is given.
	asked  []flinkconf.Extension
	labels []string
}

// keep writes one configuration. Where the API server does not ask admit at all, it does not ask about this either.
func (w *Webhooks) keep(
	ctx context.Context, gvr schema.GroupVersionResource, make func(admit map[string]any) []any,
) error {
	own, name := cmp.Or(w.Own, Own), cmp.Or(w.Name, Name)
	mine, found, err := w.API.Get(ctx, kube.Object{Resource: gvr, Name: name})
	if err != nil || !found {
		return err
	}
	theirs, found, err := w.API.Get(ctx, kube.Object{Resource: gvr, Name: own})
	if err != nil || !found {
		return err
	}
	all, _, _ := unstructured.NestedSlice(theirs.Object, "webhooks")
	if len(all) == 0 {
		return nil
	}
	first, _ := all[0].(map[string]any)
	called, _, _ := unstructured.NestedString(first, "clientConfig", "service", "path")
	if strings.Count(called, "/") != 2 {
		return fail.Transientf(
			"write the webhooks of extensions", "NoPathYet", "%s %s calls the path %q: Job flink-admit-certificate has not "+
				"written the one that admit answers under", gvr.Resource, own, called,
		)
	}
	_, err = w.API.MergePatch(ctx, kube.Object{Resource: gvr, Name: name}, map[string]any{
		"metadata": map[string]any{"resourceVersion": mine.GetResourceVersion()}, "webhooks": make(first),
	})
	if fail.KindOf(err) == fail.Conflict {
		return nil // another pod writes the same
	}
	return err
}

// webhooks is the one webhook for extensions, or none. It calls what admit's own webhook calls, and selects no more
// than that does: the resources of another installation are none of ours.
func (w *Webhooks) webhooks(c calls, admit map[string]any) []any {
	if len(c.asked) == 0 {
		return []any{}
	}
	resources, namespaces, everywhere := map[string]bool{}, map[string]bool{}, false
	timeout, policy, mutates := time.Duration(0), "Ignore", strings.HasPrefix(c.webhook, "mutators")
	for _, e := range c.asked {
		for _, kind := range e.Kinds {
			k, _ := kinds.Of(kind) // settings name no other
			resources[k.Resource.Resource] = true
		}
		for _, n := range e.Namespaces {
			namespaces[n] = true
		}
		everywhere = everywhere || len(e.Namespaces) == 0
		if !mutates {
			timeout = max(timeout, e.Timeout) // they are asked at the same time
			continue
		}
		timeout += e.Timeout
		if !e.Ignore {
			policy = "Fail" // no pass makes up for it
		}
	}
	selector, _ := admit["namespaceSelector"].(map[string]any)
	selector = maps.Clone(selector)
	if selector == nil {
		selector = map[string]any{}
	}
	if !everywhere {
		expressions, _ := selector["matchExpressions"].([]any)
		selector["matchExpressions"] = append(slices.Clone(expressions), map[string]any{
			"key": "kubernetes.io/metadata.name", "operator": "In", "values": sorted(namespaces),
		})
	}
	objects, _ := admit["objectSelector"].(map[string]any)
	if objects == nil {
		objects = map[string]any{}
	}
	client, _ := admit["clientConfig"].(map[string]any)
	return []any{map[string]any{
		"name": c.webhook, "clientConfig": withPath(client, c.path), "failurePolicy": policy, "sideEffects": "None",
		"timeoutSeconds": min(int64(timeout/time.Second)+coldStart, longest), "admissionReviewVersions": []any{"v1"},
		"namespaceSelector": selector, "objectSelector": objects,
		"rules": []any{map[string]any{
			"apiGroups": []any{v1beta1.Group}, "apiVersions": []any{v1beta1.Version},
			"operations": []any{"CREATE", "UPDATE"}, "resources": sorted(resources), "scope": "Namespaced",
		}},
		"matchConditions": []any{
			map[string]any{"name": "not-the-operator", "expression": "request.userInfo.username != '" + w.Username + "'"},
			map[string]any{"name": "spec-is-new", "expression": "request.operation == 'CREATE' || !has(object.spec) || " +
				"!has(oldObject.spec) || object.spec != oldObject.spec || " + anyChanges(c.labels)},
		},
	}}
}

// anyChanges is an expression for a change of one of these labels, or of the one that makes a canary. A spec that was
// not judged before, because of its labels, is judged then.
func anyChanges(labels []string) string {
	quoted := make([]string, 0, len(labels)+1)
	for _, label := range append([]string{v1beta1.LabelCanary}, labels...) {
		quoted = append(quoted, strconv.Quote(label))
	}
	return "[" + strings.Join(quoted, ", ") +
		"].exists(l, object.metadata.?labels[?l] != oldObject.metadata.?labels[?l])"
}

// withPath is the clientConfig of admit for another first part of its path; what cannot be guessed is the last part.
func withPath(client map[string]any, first string) map[string]any {
	client = maps.Clone(client)
	service, _ := client["service"].(map[string]any)
	service = maps.Clone(service)
	called, _ := service["path"].(string)
	service["path"] = first + called[strings.LastIndex(called, "/"):]
	client["service"] = service
	return client
}

func sorted(set map[string]bool) []any {
	var all []any
	for _, name := range slices.Sorted(maps.Keys(set)) {
		all = append(all, name)
	}
	return all
}
