package inspect

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/pkg/doctor"
	"github.com/kn-flink/kn-flink/pkg/install"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
)

// pageSize is how many objects one request brings.
const pageSize = 500

// looker reads for one report.
type looker struct {
	client *kube.Client
	asked  doctor.Asked
	found  doctor.Found
	now    func() time.Time
}

// Look reads some sources. What cannot be read is in Unread of what was found; an error is that of an API server that
// does not answer at all.
func Look(
	ctx context.Context, client *kube.Client, a doctor.Asked, sources []doctor.Source, now func() time.Time,
) (doctor.Found, error) {
	l := &looker{client: client, asked: a, now: now, found: doctor.Found{
		Now: now(), Objects: map[doctor.Source][]*unstructured.Unstructured{}, Unread: map[doctor.Source]string{},
	}}
	var err error
	if l.found.Minor, err = client.Minor(ctx); err != nil {
		return l.found, fmt.Errorf("no Kubernetes API server answers: %w", err)
	}
	for _, s := range sources {
		l.read(ctx, s)
	}
	if slices.Contains(sources, doctor.Webhook) {
		l.tryWebhook(ctx)
	}
	return l.found, ctx.Err()
}

// read reads one source.
func (l *looker) read(ctx context.Context, s doctor.Source) {
	switch s {
	case doctor.Server, doctor.Webhook: // read by Look, before and after all others
	case doctor.Definitions:
		for _, k := range kinds.All {
			l.one(ctx, s, definitions, "", doctor.DefinitionOf(k))
		}
		for _, name := range slices.Concat(doctor.KnativeDefinitions[:]...) {
			l.one(ctx, s, definitions, "", name)
		}
	case doctor.Network:
		for _, name := range []string{"config-network", "config-contour", "config-gateway"} {
			l.one(ctx, s, kube.ConfigMaps, "knative-serving", name)
		}
	case doctor.Settings:
		l.one(ctx, s, kube.ConfigMaps, l.asked.System, doctor.SettingsName)
		for _, u := range l.found.Objects[doctor.Operators] {
			if u.GetNamespace() != l.asked.System {
				l.one(ctx, s, kube.ConfigMaps, u.GetNamespace(), doctor.SettingsName)
			}
		}
	case doctor.Rights:
		l.rights(ctx)
	case doctor.Jobs:
		for _, k := range kinds.All {
			l.each(ctx, s, kube.Query{Resource: k.Resource}, func(content map[string]any) {
				l.found.Jobs = append(l.found.Jobs, doctor.JobOf(content))
			})
		}
	default:
		l.lists(ctx, s)
	}
	if s == doctor.Webhooks {
		l.found.TrustedUntil = l.trustedUntil()
	}
}

// lists reads a source that is made of lists.
func (l *looker) lists(ctx context.Context, s doctor.Source) {
	for _, q := range lists[s] {
		if q.system {
			q.Namespace = l.asked.System
		}
		l.each(ctx, s, q.Query, func(content map[string]any) {
			u := &unstructured.Unstructured{Object: content}
			if q.wanted == nil || q.wanted(u) {
				l.found.Objects[s] = append(l.found.Objects[s], u)
			}
		})
	}
}

// cannot notes why a source could not be read.
func (l *looker) cannot(s doctor.Source, verb string, q kube.Query, err error) {
	name, where := q.Resource.GroupResource().String(), "in all namespaces"
	if q.Namespace != "" {
		where = "in namespace " + q.Namespace
	}
	text := fmt.Sprintf("%s: %v", name, err)
	if apierrors.IsForbidden(err) {
		text = fmt.Sprintf("the right to %s %s %s is missing", verb, name, where)
	}
	l.found.Unread[s] = text
}

// one reads an object that may not be there.
func (l *looker) one(ctx context.Context, s doctor.Source, r schema.GroupVersionResource, namespace, name string) {
	u, there, err := l.client.Get(ctx, kube.Object{Resource: r, Namespace: namespace, Name: name})
	switch {
	case err != nil:
		l.cannot(s, "get", kube.Query{Resource: r, Namespace: namespace}, err)
	case there:
		l.found.Objects[s] = append(l.found.Objects[s], u)
	}
}

// each reads all pages of a list. A kind that the API server does not have has no objects.
func (l *looker) each(ctx context.Context, s doctor.Source, q kube.Query, see func(content map[string]any)) {
	for q.Limit = pageSize; ; {
		page, err := l.client.ListEach(ctx, q, func(content map[string]any) error {
			see(content)
			return nil
		})
		if err != nil && !apierrors.IsNotFound(err) {
			l.cannot(s, "list", q, err)
		}
		if q.Continue = page.Continue; err != nil || q.Continue == "" {
			return
		}
	}
}

// rights asks for those that an installation needs.
func (l *looker) rights(ctx context.Context) {
	for i, resources := range doctor.Patched {
		for _, resource := range resources {
			name, group, _ := strings.Cut(resource, ".")
			namespace, told := "", resource
			if i == 1 {
				namespace, told = l.asked.System, l.asked.System+"/"+resource
			}
			may, err := l.client.May(ctx, "patch", group, name, namespace)
			if err != nil {
				l.found.Unread[doctor.Rights] = err.Error()
				return
			}
			if !may {
				l.found.Denied = append(l.found.Denied, told)
			}
		}
	}
}

// ownWebhooks is whether a webhook configuration is that of the installation which is judged.
func (l *looker) ownWebhooks(u *unstructured.Unstructured) bool {
	return u.GetName() == install.Named(l.asked.System, "flink-admit")
}
