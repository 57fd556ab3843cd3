package apply

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/jarsource"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

// Reasons of errors about jars that package jarsource does not have.
const (
	// reasonRules: an option about jars cannot be read.
	reasonRules = "JarOptionInvalid"
	// reasonUpload: the JobManager refuses the upload.
	reasonUpload = "JarUploadRefused"
	// reasonRun: the JobManager refuses to run the jar, most often because main failed.
	reasonRun = "JarRunFailed"
	// reasonRunUnanswered: an answer to a run that does not say whether the job was started.
	reasonRunUnanswered = string(plan.ReasonJarRunUnanswered)
	// reasonGone: the uploaded jar is not there any more.
	reasonGone = "JarGone"
	// reasonNotServed: the JobManager takes no jars at all.
	reasonNotServed = "JarsNotServed"
	// reasonDelete: the JobManager refuses to delete the jar.
	reasonDelete = "JarNotDeleted"
)

// requestTimeout bounds the request for an upload, which may wait for the Broker as long as any other call.
const requestTimeout = 10 * time.Second

// requestUpload asks for a pass by the function that uploads jars. Nobody else asks for it, so a Broker that does not
// take the request fails the action.
func (a *EventRecorder) requestUpload(ctx context.Context, resource *unstructured.Unstructured) error {
	if a == nil {
		return fail.Bugf("", "NoBroker", "there is no Broker to ask")
	}
	key := event.Key{Kind: resource.GetKind(), Namespace: resource.GetNamespace(), Name: resource.GetName()}
	e, err := event.Make(event.TypeUploadRequested, event.Head{
		ID: fmt.Sprintf("%s-%s-%08x", resource.GetUID(), resource.GetResourceVersion(),
			syntax.JavaHash(event.TypeUploadRequested+key.String())),
		Key: key, Source: a.Source, Time: a.Now(), Reason: string(event.ReasonJar),
	}, nil)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return fail.As(fail.Transient, "", "BrokerUnreachable", a.Control.Publish(ctx, e))
}

// showTime is left of a pass whose upload took too long: for the status to say so.
const showTime = 10 * time.Second

// uploadJar streams a jar from its source to the JobManager. Nothing but the pass bounds it, and what a download leaves
// of its time for the status.
func (c *Executor) uploadJar(ctx context.Context, r *round, a plan.UploadJar) error {
	within := ctx
	if end, bounded := ctx.Deadline(); bounded && a.URI != "" { // an empty jar is there at once
		var cancel context.CancelFunc
		within, cancel = context.WithDeadline(ctx, end.Add(-showTime))
		defer cancel()
	}
	id, err := c.stream(within, a)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		return fail.Transientf("", fail.ReasonTimeout, "the jar was not uploaded in time: have it nearer, or put it on the "+
			"class path of the cluster's image and leave jarURI empty")
	}
	if err != nil {
		return err
	}
	// nobody would look for the jar of a start that is over, and this pass has not seen that it is
	if over := c.stillOpen(ctx, r, strings.TrimSuffix(a.Name, ".jar")); fail.KindOf(over) == fail.Conflict {
		_ = c.deleteJar(ctx, plan.DeleteJar{Endpoint: a.Endpoint, JarID: id}) // it never fails
		return over
	}
	return nil
}

// stream answers the ID of the uploaded jar.
func (c *Executor) stream(ctx context.Context, a plan.UploadJar) (string, error) {
	client, err := c.Flink(a.Endpoint)
	if err != nil {
		return "", unanswered(err)
	}
	jar, err := c.openJar(ctx, a)
	if err != nil {
		return "", err
	}
	defer jar.Close() // what was read is complete, or the upload has failed
	id, err := client.JarUpload(ctx, a.Name, jar)
	var source *fail.Error
	switch {
	case errors.Is(err, flinkrest.ErrSource) && errors.As(err, &source):
		return "", source
	case errors.Is(err, flinkrest.ErrRejected):
		return "", fail.As(fail.Denied, "", reasonUpload, err)
	}
	return id, unanswered(err)
}

// openJar opens what is to be uploaded.
func (c *Executor) openJar(ctx context.Context, a plan.UploadJar) (jarsource.Jar, error) {
	if a.URI == "" {
		return jarsource.Empty(), nil
	}
	if broken := c.Jars.Broken; len(broken) > 0 {
		return jarsource.Jar{}, fail.Deniedf("", reasonRules, "%s: correct it in the operator's configuration",
			strings.Join(broken, "; "))
	}
	open := c.OpenJar
	if open == nil {
		open = jarsource.Open
	}
	return open(ctx, jarsource.Policy{
		Schemes: c.Jars.Schemes, Allowed: c.Jars.Allowed, AnyAddress: c.Jars.AnyAddress, MaxBytes: c.Jars.MaxBytes,
		Header: a.Header,
	}, a.URI)
}

// runJar has the JobManager run a jar. No answer in time is no failure: main runs on, and the job is found by its ID.
// An answer counts as a failure only if it says that nothing was started.
//
//	answer                             then
//	the job's ID                       done
//	it has this job                    done: another pass was faster, or the answer of a run before was lost
//	none, after the request was sent   done: the next look finds the job, or finds that there is none
//	no connection                      Transient: nothing was sent
//	the jar is not there               Transient, JarGone: the next look has it uploaded again
//	refused by Flink itself            Denied, JarRunFailed, with the cause that is nearest to the user's code
//	no such path, TLS fails            see unanswered
//	any other: of a proxy, of a        Transient, JarRunUnanswered: the job may begin all the same, and is looked for
//	JobManager that is not ready, of a
//	call in Flink that took too long
func (c *Executor) runJar(ctx context.Context, a plan.RunJar) error {
	version, err := flinkrest.ParseVersion(a.Version)
	if err != nil {
		return fail.As(fail.Bug, "", "UnknownVersion", err)
	}
	client, err := c.Flink(a.Endpoint)
	if err == nil {
		_, err = client.JarRun(ctx, a.JarID, flinkrest.RunRequest{
			Version: version, EntryClass: a.EntryClass, Args: a.Args, Parallelism: int(a.Parallelism), JobID: a.JobID,
			AllowNonRestoredState: a.AllowNonRestoredState, SavepointPath: a.SavepointPath, Configuration: a.Configuration,
		})
	}
	var answer *flinkrest.Error
	switch isFlinks := errors.As(err, &answer); {
	case errors.Is(err, flinkrest.ErrDuplicateJob):
		return nil
	case errors.Is(err, flinkrest.ErrUnreachable) && wasSent(err):
		if c.Log != nil {
			c.Log.Infow("the JobManager has not responded to a run yet: the job is found by its ID",
				telemetry.Action, a.String(), telemetry.Error, fail.Message(err))
		}
		return nil
	case errors.Is(err, flinkrest.ErrNotFound) && isFlinks && strings.Contains(answer.Message, "Jar file "):
		return fail.As(fail.Transient, "", reasonGone, err)
	case errors.Is(err, flinkrest.ErrRejected) && isFlinks:
		return fail.Deniedf("", reasonRun, "%s", rootFirst(answer.Message))
	case isFlinks && answer.Status != 0 && !errors.Is(err, flinkrest.ErrNoEndpoint) && !errors.Is(err, flinkrest.ErrTLS):
		return fail.As(fail.Transient, "", reasonRunUnanswered, err)
	}
	return unanswered(err)
}

// wasSent is false where there was no connection that a request could have gone through.
func wasSent(err error) bool {
	var op *net.OpError
	var name *net.DNSError
	return !errors.As(err, &name) && !(errors.As(err, &op) && op.Op == "dial")
}

// rootFirst puts the cause at the end of Flink's chain of causes first: it is what a user can correct, and a text that
// is too long loses its end.
func rootFirst(chain string) string {
	const link = " <- "
	at := strings.LastIndex(chain, link)
	if at < 0 {
		return chain
	}
	return chain[at+len(link):] + " (" + chain[:at] + ")"
}

// deleteJar deletes an uploaded jar, once. A jar that stays takes room in the JobManager and does nothing else, so that
// is logged, and nothing waits for it.
func (c *Executor) deleteJar(ctx context.Context, a plan.DeleteJar) error {
	client, err := c.Flink(a.Endpoint)
	if err == nil {
		err = client.JarDelete(ctx, a.JarID)
	}
	if err != nil && !errors.Is(err, flinkrest.ErrNotFound) && c.Log != nil {
		c.Log.Warnw("the jar is left in the JobManager", telemetry.Reason, reasonDelete, telemetry.Action, a.String(),
			telemetry.Error, fail.Message(err))
	}
	return nil
}

// unanswered is the error of a call about a jar that was not carried out, as far as is known; nil stays nil.
//
//	error                     kind        reason
//	TLS fails                 Denied      CertificateUntrusted
//	no such path              Denied      JarsNotServed
//	anything else             Transient   FlinkUnreachable
func unanswered(err error) error {
	switch {
	case errors.Is(err, flinkrest.ErrTLS):
		return fail.As(fail.Denied, "", fail.ReasonUntrusted, err)
	case errors.Is(err, flinkrest.ErrNoEndpoint):
		return fail.Deniedf("", reasonNotServed, "the cluster takes no jars: have it be a session cluster, and "+
			"web.submit.enable be true: %w", err)
	}
	return fail.As(fail.Transient, "", "FlinkUnreachable", err)
}
