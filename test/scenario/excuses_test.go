package scenario

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// What excuses the functions from a promise: something that nobody but a person could make good.

func (r *run) excuse(why string) {
	if !r.stateful() && !r.unseen() {
		return
	}
	if r.excusedAt = len(runs(r.w.Flink.Starts(namespace, demo))); r.excused == "" {
		r.excused = why
	}
}

// endsExcuse lets an excuse go with the next start: the job runs as asked, has a checkpoint of its own that status
// knows, and nothing is told and nothing goes wrong.
func (r *run) endsExcuse(d *v1beta1.FlinkDeployment) {
	status, j := d.Status, r.w.Flink.Job(namespace, demo, "")
	if r.excused == "" || j == nil || j.State != job.Running || j.Latest(false) == nil ||
		status.JobStatus.JobID != j.ID || status.JobStatus.Checkpoint == nil ||
		!strings.Contains(status.JobStatus.Checkpoint.Path, j.ID) || len(r.states.losses) > 0 {
		return
	}
	starts := runs(r.w.Flink.Starts(namespace, demo))
	steady := status.Situation == string(plan.Steady) && status.ObservedGeneration == d.Generation &&
		status.LostProgress == nil && !meta.IsStatusConditionTrue(status.Conditions, summary.Stalled) &&
		meta.FindStatusCondition(status.Conditions, summary.StateSafe) == nil
	if steady && len(starts) > r.excusedAt && r.calmNow() {
		r.excused = ""
	}
}

// isGoing reports whether the Deployment of the JobManager is gone, or has no replicas any more.
func (r *run) isGoing() bool {
	u := r.w.Kube.Peek(kubesim.Deployments, namespace, demo)
	if u == nil {
		return true
	}
	replicas, is := u.Object["spec"].(map[string]any)["replicas"].(int64)
	return is && replicas == 0
}

// excuseFailure: what a job that failed by itself leaves may need a person. One that failed because of how it was
// stopped is no excuse. One that failed when its Deployment was deleted or retired, before any status knew of a
// checkpoint, goes on from less: Flink has taken its checkpoints out of the high-availability data.
func (r *run) excuseFailure() {
	r.findsStart(r.w.Flink.Job(namespace, demo, ""))
	status := r.status(demo)
	i := status.Intent
	stopped := i != nil && i.Step == v1beta1.StepStopping && !r.w.Nodes.IsDown("node-1")
	if !stopped {
		r.excuse("its job failed")
	}
	if r.isGoing() && status.JobStatus.Checkpoint == nil {
		before := len(r.states.losses)
		r.losesEnd()
		for _, l := range r.states.losses[before:] {
			l.unseen = false // who recovers the Deployment knows that its job may have run
		}
	}
}

// excuseLateStart: a start that a fault delayed cannot be told from one that ran, once its image is broken.
func (r *run) excuseLateStart() {
	if r.broken && r.faults {
		r.excuse("a start that was late has a broken image")
	}
}

// excuseBegan: a container began as it was taken for one that never ran. What its job has done by then, without
// high-availability data that can be read, a person knows; and what to do with data that another Flink cannot read.
func (r *run) excuseBegan(d *v1beta1.FlinkDeployment) {
	i := d.Status.Intent
	if i == nil || i.Stop != v1beta1.StopNone || !i.Began {
		return
	}
	last, err := v1beta1.ParseReconciledDeployment(d.Status.ReconciliationStatus.LastReconciledSpec)
	another := err != nil || last.Spec.FlinkVersion != d.Spec.FlinkVersion
	if another || r.unseen() || !r.highlyAvailable() {
		r.excuse("its container began as it was being taken down")
	}
}

// excuseSilentNode: a kubelet that died before it could tell of the container that it had started leaves a job of which
// only its high-availability data could tell that it ran. Without data that can be read, a person knows. A job that was
// suspended then asks for one as it is resumed.
func (r *run) excuseSilentNode(i *v1beta1.Intent, unsafe *metav1.Condition) {
	takesNothing := i != nil && i.Step == v1beta1.StepStopping && i.Stop == v1beta1.StopNone && i.SilentNode != ""
	r.fellSilent = r.fellSilent || takesNothing
	unknown := unsafe != nil && unsafe.Reason == string(plan.ReasonLastStateUnknown)
	if r.kubeletDied && r.fellSilent && unknown && (r.unseen() || !r.highlyAvailable()) {
		r.excuse("its kubelet died before it told whether the container of the JobManager ran")
	}
}
