package eventing

import (
	"context"
	"time"

	"github.com/robfig/cron/v3"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"knative.dev/eventing/pkg/adapter/mtping"
	adapterv2 "knative.dev/eventing/pkg/adapter/v2"
	sourcesv1 "knative.dev/eventing/pkg/apis/sources/v1"
	duckv1 "knative.dev/pkg/apis/duck/v1"
)

// ping is a schedule that runs.
type ping struct {
	id         cron.EntryID
	generation int64
	sink       string
}

// noTimeout is how the adapters run by default: a sink may take as long as it likes.
const noTimeout = "-1"

// newRunner makes the runner as the multi-tenant adapter does.
func (e *Eventing) newRunner() mtping.CronJobRunner {
	return mtping.NewCronJobsRunner(adapterv2.ClientConfig{
		Env: &adapterv2.EnvConfig{Name: "pingsource-mt-adapter", EnvSinkTimeout: noTimeout},
	}, e.client, e.logger.Sugar(), cron.WithParser(cron.NewParser(
		cron.SecondOptional|cron.Minute|cron.Hour|cron.Dom|cron.Month|cron.Dow|cron.Descriptor,
	)))
}

// reconcilePingSource gives the runner the schedule that the object has now.
func (e *Eventing) reconcilePingSource(ctx context.Context, name types.NamespacedName) (time.Duration, error) {
	have, err := e.informers.Sources().V1().PingSources().Lister().PingSources(name.Namespace).Get(name.Name)
	if apierrors.IsNotFound(err) {
		e.schedule(name, nil)
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	p, again := have.DeepCopy(), time.Duration(0)
	p.SetDefaults(ctx) // as Knative's webhook does before one is stored
	p.Status.ObservedGeneration = p.Generation
	p.Status.InitializeConditions()
	p.Status.MarkOIDCIdentityCreatedSucceededWithReason("OIDCDisabled", "")
	to, err := e.resolve(ctx, p.Spec.Sink, p.Namespace)
	if err != nil {
		p.Status.MarkNoSink("NotFound", "%v", err)
		e.schedule(name, nil)
		again = retryResolve
	} else {
		p.Status.MarkSink(&duckv1.Addressable{URL: to})
		p.Status.CloudEventAttributes = []duckv1.CloudEventAttributes{
			{Type: sourcesv1.PingSourceEventType, Source: sourcesv1.PingSourceSource(p.Namespace, p.Name)},
		}
		sourcesv1.PingSourceCondSet.Manage(&p.Status).MarkTrue(sourcesv1.PingSourceConditionDeployed)
		if invalid := p.Spec.Validate(ctx); invalid != nil {
			sourcesv1.PingSourceCondSet.Manage(&p.Status).MarkFalse(
				sourcesv1.PingSourceConditionDeployed, "Invalid", "%v", invalid,
			)
			e.schedule(name, nil)
		} else {
			e.schedule(name, p)
		}
	}
	if equality.Semantic.DeepEqual(have.Status, p.Status) {
		return again, nil
	}
	_, err = e.knative.SourcesV1().PingSources(p.Namespace).UpdateStatus(ctx, p, metav1.UpdateOptions{})
	return again, ignoreChanged(err)
}

// schedule replaces what runs if it is another; nil ends it.
func (e *Eventing) schedule(name types.NamespacedName, p *sourcesv1.PingSource) {
	e.mu.Lock()
	defer e.mu.Unlock()
	have, ok := e.pings[name]
	if ok && p != nil && have.generation == p.Generation && have.sink == p.Status.SinkURI.String() {
		return
	}
	if ok {
		e.runner.RemoveSchedule(have.id)
		delete(e.pings, name)
	}
	if p != nil {
		e.pings[name] = ping{id: e.runner.AddSchedule(p), generation: p.Generation, sink: p.Status.SinkURI.String()}
	}
}
