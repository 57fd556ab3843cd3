package deployment_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

const zookeeperOptions = `"high-availability.type":"zookeeper","high-availability.zookeeper.quorum":"zk-0:2181",` +
	`"high-availability.storageDir":"file:///h"`

// onZooKeeper keeps its high-availability data in ZooKeeper, below /flink/demo.
var onZooKeeper = strings.Replace(
	enginetest.HighlyAvailable,
	`"high-availability.type":"kubernetes","high-availability.storageDir":"file:///h"`,
	zookeeperOptions,
	1,
)

// znodes are what Flink keeps: a job's, and what else there is.
func znodes(more ...znode.Node) plan.Observed[znode.Tree] {
	return plan.Present(append(znode.Tree{
		{Zxid: 1}, {Path: "jobs", Zxid: 2}, {Path: "jobs/a", Created: 3, Zxid: 3}, {Path: "jobgraphs/a", Zxid: 4},
	}, more...))
}

var (
	checkpointNode = znode.Node{Path: "jobs/a/checkpoints/0000000000000000007", Zxid: 9}
	sessionNode    = znode.Node{Path: "leader/latch/x", Zxid: 12, Ephemeral: true}
)

// holds puts what znodes made into ZooKeeper, as the data of the deployment's job.
func holds(w *enginetest.Deployment, data plan.Observed[znode.Tree]) {
	if tree, found := data.Get(); found {
		tree = slices.Clone(tree)
		for i, n := range tree {
			below, of, _ := strings.Cut(n.Path, "/")
			if job, rest, deeper := strings.Cut(of, "/"); job == "a" {
				tree[i].Path = below + "/" + w.Status().JobStatus.JobID
				if deeper {
					tree[i].Path += "/" + rest
				}
			}
		}
		data = plan.Present(tree)
	}
	w.Snapshot.HANodes = data
}

func TestALastStateUpgradeOnZooKeeper(t *testing.T) {
	w := enginetest.Stable(t, onZooKeeper)
	job := w.Status().JobStatus.JobID
	holds(w, znodes(checkpointNode, sessionNode))
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	if w.Status().Intent == nil || w.Status().Intent.Stop != v1beta1.StopLastState {
		t.Fatalf("intent %+v, want a stop that keeps the data", w.Status().Intent)
	}
	w.Terminate()
	w.Run()
	intent := w.Status().Intent
	if intent == nil || intent.From.Kind != v1beta1.StartLastState || intent.JobID != job ||
		intent.From.Path != v1beta1.LastStatePlaceholder {
		t.Fatalf("intent %+v, want a last-state start of job %s; rounds %q", intent, job, w.Log)
	}
	if !strings.Contains(w.Did(), "drop job graphs from ZooKeeper node /flink/demo") ||
		strings.Contains(w.Did(), "delete high-availability data") {
		t.Errorf("rounds %q", w.Log)
	}
}

func TestALostJobManagerOnZooKeeper(t *testing.T) {
	rows := map[string]struct {
		data      plan.Observed[znode.Tree]
		situation plan.Situation
		from      string
		reason    string
	}{
		"with a checkpoint": {
			znodes(checkpointNode, sessionNode), plan.Waiting, v1beta1.LastStatePlaceholder, "the job goes on from it",
		},
		"without a checkpoint": {znodes(), plan.Waiting, "", "there is nothing to lose yet"},
		"no job's data": {
			plan.Present(znode.Tree{{}, {Path: "jobs"}}), plan.StateLost, "", "the job has ended, or somebody removed it",
		},
		"another job's data": {
			plan.Present(znode.Tree{
				{}, {Path: "jobs"}, {Path: "jobs/b", Created: 3}, {Path: "jobs/b/checkpoints/1"}, {Path: "jobgraphs/b"},
			}),
			plan.StateLost, "", "it is left over, and this job would not start from it",
		},
		"no data":        {plan.Absent[znode.Tree](), plan.StateLost, "", "the same"},
		"nobody answers": {plan.Unknown[znode.Tree]("time-out"), plan.Unobservable, "", "nothing is done on a guess"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, onZooKeeper)
			w.Lose()
			holds(w, row.data)
			w.Run()
			if w.Status().Situation != string(row.situation) {
				t.Fatalf("situation %s, want %s: %s; rounds %q", w.Status().Situation, row.situation, row.reason, w.Log)
			}
			if intent := w.Status().Intent; row.situation == plan.Waiting && (intent.From.Kind != v1beta1.StartLastState ||
				intent.From.Path != row.from) {
				t.Errorf("start from %+v, want %q: %s", intent.From, row.from, row.reason)
			}
		})
	}
}

func TestWhatLiesInZooKeeperBeforeAFirstStart(t *testing.T) {
	stateless := strings.Replace(onZooKeeper, `"upgradeMode":"last-state"`, `"upgradeMode":"stateless"`, 1)
	rows := map[string]struct {
		spec      string
		data      plan.Observed[znode.Tree]
		situation plan.Situation
		says      string
		reason    string
	}{
		"nothing": {onZooKeeper, plan.Absent[znode.Tree](), plan.Waiting, "", "an empty place"},
		"a checkpoint": {
			onZooKeeper, znodes(checkpointNode), plan.Unaccounted, "ZooKeeper node /flink/demo",
			"the job would start from it, or lose it",
		},
		"nobody answers": {
			onZooKeeper, plan.Unknown[znode.Tree]("time-out"), plan.Unobservable,
			"time-out. Let the functions reach it, or start without a look at it: kubectl annotate flinkdeployment demo",
			"nothing is done on a guess, and a person can give up what may be there",
		},
		"nobody answers, and it is given up": {
			onZooKeeper, plan.Unknown[znode.Tree]("time-out"), plan.Waiting, "", "a person said so",
		},
		"nobody answers, but stateless": {
			stateless, plan.Unknown[znode.Tree]("time-out"), plan.Waiting, "", "there is nothing to lose",
		},
		"a checkpoint, but stateless": {
			stateless, znodes(checkpointNode), plan.Waiting, "", "it is not needed, and goes",
		},
		"somebody runs under that node": {
			stateless, znodes(sessionNode), plan.Starting, "path.root", "another namespace may have a cluster of that name",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewDeployment(t, row.spec)
			w.Snapshot.HANodes = row.data
			if strings.Contains(name, "given up") {
				w.Snapshot.Resource.Annotations = map[string]string{v1beta1.AnnotationIgnoreState: "true"}
			}
			w.Run()
			if w.Status().Situation != string(row.situation) ||
				w.Snapshot.JobManager.IsPresent() != (row.situation == plan.Waiting) {
				t.Errorf("situation %s, want %s: %s; rounds %q", w.Status().Situation, row.situation, row.reason, w.Log)
			}
			if told := w.Condition(summary.Stalled).Message +
				w.Condition(summary.Reconciling).Message; !strings.Contains(told, row.says) {
				t.Errorf("conditions say %q, want %q", told, row.says)
			}
		})
	}
}

func TestDeletionOnZooKeeper(t *testing.T) {
	rows := map[string]struct {
		data    plan.Observed[znode.Tree]
		waits   time.Duration
		removes bool
		left    int
		reason  string
	}{
		"with data":    {znodes(checkpointNode), 0, true, 0, "it goes with the resource"},
		"without data": {plan.Absent[znode.Tree](), 0, false, 0, "nothing to remove"},
		"a session stays": {
			znodes(sessionNode), 6 * time.Minute, false, 1,
			"another cluster of that name uses it: it stays, and the deletion ends",
		},
		"nobody answers": {
			plan.Unknown[znode.Tree]("time-out"), 6 * time.Minute, false, 1,
			"ZooKeeper may be gone for good: a deletion always ends",
		},
		"a session just ends": {znodes(sessionNode), time.Minute, true, 0, "a JobManager that was killed"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, onZooKeeper)
			holds(w, row.data)
			w.Delete()
			w.Run()
			w.Terminate()
			w.Run()
			if (row.waits > 0) == w.Gone {
				t.Fatalf("gone %t at once; rounds %q", w.Gone, w.Log)
			}
			w.Snapshot.Now = w.Snapshot.Now.Add(row.waits)
			if row.removes && row.waits > 0 {
				holds(w, znodes())
			}
			w.Run()
			if !w.Gone || w.Told("HighAvailabilityDataLeft") != row.left ||
				strings.Contains(w.Did(), "delete high-availability data, ZooKeeper node /flink/demo") != row.removes {
				t.Errorf(
					"gone %t, told %d times that data is left: %s; rounds %q", w.Gone, w.Told("HighAvailabilityDataLeft"),
					row.reason, w.Log,
				)
			}
		})
	}
}

func TestTheCommandForDataThatIsLeft(t *testing.T) {
	w := enginetest.Stable(t, onZooKeeper)
	holds(w, znodes(sessionNode))
	w.Delete()
	w.Run()
	w.Terminate()
	w.Run()
	w.Snapshot.Now = w.Snapshot.Now.Add(6 * time.Minute)
	w.Run()
	for _, e := range w.Events {
		if e.Reason == "HighAvailabilityDataLeft" &&
			strings.Contains(e.Message, "zkCli.sh -server zk-0:2181 deleteall /flink/demo") {
			return
		}
	}
	t.Errorf("events %+v", w.Events)
}

func TestAStatelessUpgradeOnZooKeeper(t *testing.T) {
	w := enginetest.Stable(t, strings.Replace(onZooKeeper, `"upgradeMode":"last-state"`, `"upgradeMode":"stateless"`, 1))
	holds(w, znodes(checkpointNode, sessionNode))
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	w.Terminate()
	w.Run()
	if c := w.Condition(summary.Reconciling); c.Reason != "HighAvailabilityDataInUse" {
		t.Fatalf("Reconciling %+v, want it to wait for the session; rounds %q", c, w.Log)
	}
	holds(w, znodes(checkpointNode))
	w.Run()
	if !strings.Contains(w.Did(), "delete high-availability data, ZooKeeper node /flink/demo") ||
		!w.Snapshot.JobManager.IsPresent() {
		t.Errorf("rounds %q", w.Log)
	}
}

// TestWhatZooKeeperCannotBeAsked: without a way to look, a job is cancelled and started from its last checkpoint, and a
// lost one waits for a person, who is told which option is in the way.
func TestWhatZooKeeperCannotBeAsked(t *testing.T) {
	kerberos := strings.Replace(
		onZooKeeper, `"high-availability.type"`,
		`"high-availability.zookeeper.client.acl":"creator","high-availability.type"`, 1,
	)
	w := enginetest.Stable(t, kerberos)
	if q := deployment.Open(w.Snapshot).First(); q.HANodes != nil || q.HAData {
		t.Errorf("asked %+v", q)
	}
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	if w.Status().Intent == nil || w.Status().Intent.Stop != v1beta1.StopCancel {
		t.Errorf("intent %+v, want a cancellation", w.Status().Intent)
	}
	w = enginetest.Stable(t, kerberos)
	w.Lose()
	w.Run()
	if c := w.Condition(summary.Stalled); w.Status().Situation != string(plan.StateLost) ||
		!strings.Contains(c.Message, "high-availability.zookeeper.client.acl is creator") {
		t.Errorf("situation %s, Stalled %+v", w.Status().Situation, c)
	}
}

func TestZooKeeperIsAskedWhereItMatters(t *testing.T) {
	stopped := func(t *testing.T) *enginetest.Deployment {
		w := enginetest.Stable(t, onZooKeeper)
		w.Edit(enginetest.UpgradeImage)
		return w
	}
	recorded := func(t *testing.T) *enginetest.Deployment {
		w := enginetest.Stable(t, onZooKeeper)
		status := &w.Snapshot.Resource.Status.JobStatus
		status.HighAvailabilityData = &v1beta1.KnownHighAvailabilityData{JobID: status.JobID, UID: "0x1"}
		return w
	}
	rows := map[string]struct {
		fixture *enginetest.Deployment
		want    bool
		reason  string
	}{
		"its data is recorded": {recorded(t), false, "nothing is decided on it"},
		"it is not":            {enginetest.Stable(t, onZooKeeper), true, "nobody knows which data the job runs with"},
		"before it started": {
			enginetest.NewDeployment(t, onZooKeeper),
			true,
			"an earlier life may have left a checkpoint",
		},
		"a new spec": {stopped(t), true, "it decides how the job is stopped"},
		"on Kubernetes": {
			enginetest.NewDeployment(t, enginetest.HighlyAvailable),
			false,
			"ConfigMaps are asked instead",
		},
		"elsewhere now": {func() *enginetest.Deployment {
			w := enginetest.Stable(t, onZooKeeper)
			w.Snapshot.JobManager = plan.Absent[*appsv1.Deployment]()
			return w
		}(), true, "a lost JobManager"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			at := deployment.Open(row.fixture.Snapshot).First().HANodes
			if (at != nil) != row.want || (at != nil && at.Path != "/flink/demo") {
				t.Errorf("asked at %v, want %t: %s", at, row.want, row.reason)
			}
		})
	}
}

// TestAnotherPlaceIsNoPlaceToStartFrom: data that the new cluster would not read is no reason to stop the old one
// without a savepoint.
func TestAnotherPlaceIsNoPlaceToStartFrom(t *testing.T) {
	for name, change := range map[string][2]string{
		"another ensemble": {"zk-0:2181", "zk-9:2181"},
		"another root":     {`{`, `{"high-availability.zookeeper.path.root":"/x",`},
		"another kind":     {`"high-availability.type":"zookeeper"`, `"high-availability.type":"kubernetes"`},
	} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, onZooKeeper)
			holds(w, znodes(checkpointNode))
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
				s.FlinkConfiguration = v1beta1.FlinkConfiguration(strings.Replace(
					string(s.FlinkConfiguration), change[0], change[1], 1,
				))
			})
			w.Run()
			if w.Status().Intent == nil || w.Status().Intent.Stop != v1beta1.StopCancel {
				t.Errorf("intent %+v, want a cancellation", w.Status().Intent)
			}
		})
	}
}

func TestGraphsAreDroppedUntilPrepared(t *testing.T) {
	w := enginetest.Stable(t, enginetest.HighlyAvailable)
	w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
	w.Lose()
	w.Look()
	p := deployment.Make(w.Snapshot)
	for _, a := range p.Actions {
		if record, ok := a.(plan.Record); ok {
			w.Store(record.Status.(*v1beta1.FlinkDeploymentStatus)) // and there the pass ends
		}
	}
	if w.Status().Intent == nil {
		t.Fatalf("no intent: %s", p)
	}
	if next := w.Round(); !strings.Contains(next.String(), "drop job graphs") ||
		strings.Index(next.String(), "drop") > strings.Index(next.String(), "prepare") {
		t.Errorf("the next pass does %s: an old job graph would run in place of the new one", next)
	}
}

// TestASessionClusterBringsItsJobsBack: its data is neither removed nor changed by an upgrade.
func TestASessionClusterBringsItsJobsBack(t *testing.T) {
	w := enginetest.Stable(
		t,
		strings.Replace(
			enginetest.Session,
			`"serviceAccount":"flink",`,
			`"serviceAccount":"flink","flinkConfiguration":{`+zookeeperOptions+`},`,
			1,
		),
	)
	w.Snapshot.HANodes = znodes(checkpointNode)
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	w.Terminate()
	w.Run()
	if !w.Snapshot.JobManager.IsPresent() || strings.Contains(w.Did(), "high-availability data") ||
		strings.Contains(w.Did(), "drop job graphs") {
		t.Errorf("rounds %q", w.Log)
	}
}
