package apply

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/jarsource"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/warmup"
)

// planJar has the JobManager run main of a job up to its submission.
//
//	answer                   then
//	the plan                 done
//	refused by Flink itself  Denied, JarRunFailed, with the cause that is nearest to the user's code
//	none, or any other       Transient: main may be slow, and nothing came of it
func (c *Executor) planJar(ctx context.Context, a plan.PlanJar) error {
	version, err := flinkrest.ParseVersion(a.Run.Version)
	if err != nil {
		return fail.As(fail.Bug, "", "UnknownVersion", err)
	}
	client, err := c.Flink(a.Run.Endpoint)
	if err != nil {
		return unanswered(err)
	}
	id, err := jarOf(ctx, client, a.Name, func() io.ReadCloser { return jarsource.Empty() })
	if err != nil {
		return unanswered(err)
	}
	_, err = client.JarPlan(ctx, id, flinkrest.RunRequest{
		Version: version, EntryClass: a.Run.EntryClass, Args: a.Run.Args, Parallelism: int(a.Run.Parallelism),
		Configuration: a.Run.Configuration,
	})
	if answer := (*flinkrest.Error)(nil); errors.Is(err, flinkrest.ErrRejected) && errors.As(err, &answer) {
		return fail.Deniedf("", reasonRun, "%s", rootFirst(answer.Message))
	}
	return unanswered(err)
}

// warmUp has the JobManager run the small job. That it runs, or how it ended, the list of jobs says.
func (c *Executor) warmUp(ctx context.Context, a plan.WarmUp) error {
	version, err := flinkrest.ParseVersion(a.Version)
	if err != nil {
		return fail.As(fail.Bug, "", "UnknownVersion", err)
	}
	client, err := c.Flink(a.Endpoint)
	if err != nil {
		return unanswered(err)
	}
	id, err := jarOf(ctx, client, a.Name, func() io.ReadCloser { return io.NopCloser(bytes.NewReader(warmup.Jar())) })
	if err != nil {
		return unanswered(err)
	}
	_, err = client.JarRun(ctx, id, flinkrest.RunRequest{
		Version: version, EntryClass: warmup.Class, Parallelism: int(a.Parallelism), JobID: a.JobID,
		Configuration: warmup.Configuration(),
	})
	if errors.Is(err, flinkrest.ErrDuplicateJob) || errors.Is(err, flinkrest.ErrUnreachable) && wasSent(err) {
		return nil
	}
	return unanswered(err)
}

// jarOf is the ID of the jar of a name, which is uploaded where it is not there.
func jarOf(
	ctx context.Context, client *flinkrest.Client, name string, open func() io.ReadCloser,
) (string, error) {
	jars, err := client.Jars(ctx)
	if err != nil {
		return "", err
	}
	if at := slices.IndexFunc(jars, func(j flinkrest.Jar) bool { return j.Name == name }); at >= 0 {
		return jars[at].ID, nil
	}
	content := open()
	defer content.Close() // it is in memory
	return client.JarUpload(ctx, name, content)
}

// coolDown deletes jars; what stays goes with the JobManager.
func (c *Executor) coolDown(ctx context.Context, a plan.CoolDown) error {
	for _, id := range a.JarIDs {
		_ = c.deleteJar(ctx, plan.DeleteJar{Endpoint: a.Endpoint, JarID: id}) // it never fails
	}
	return nil
}
