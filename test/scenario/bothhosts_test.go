package scenario

import (
	"slices"
	"strings"
	"testing"
)

func init() {
	for _, of := range applicationStories {
		for name, s := range of.stories {
			if slices.Contains(ofBothHosts, name) {
				scenarios[onSessionMark+name] = scenario{func(h *harness) {
					h.onSession = true
					s.story(h)
				}, s.reason}
			}
		}
	}
}

// onSessionMark begins the name of a story of an application that is told of a session job.
const onSessionMark = "on a session cluster: "

// ofBothHosts are stories of an application that are told of a session job, too: its FlinkDeployment has the same name.
var ofBothHosts = []string{
	"a stateless upgrade",
	"two edits in one",
	"suspended from the beginning",
	"an invalid change of a running job",
	"a job fails",
	"a job finishes",
	"found by the sweep alone",
	"two resources",
	"an upgrade by savepoint",
	"an upgrade by cancellation",
	"suspended with a savepoint and resumed",
	"a savepoint that fails, then succeeds",
	"a slow savepoint",
	"redeployed from a savepoint",
	"first started from a savepoint",
	"the JobManager Deployment of a highly available job is deleted",
	"the JobManager Deployment of a stateful job is deleted",
	"a JobManager of a highly available job crashes",
	"an upgrade by savepoint while Flink does not respond for a moment",
	"a savepoint by a resource of its own, and without it",
	"a savepoint that stays when its resource goes",
	"a savepoint that fails as often as it may",
	"a savepoint of a job that is suspended",
	"a savepoint recorded in status",
	"an upgrade waits for a recorded savepoint",
	"a recorded savepoint outlives a fail-over",
	"recorded savepoints each five minutes",
	"snapshots by the clock, then no longer",
	"a recorded savepoint that fails",
	"suspended with a recorded savepoint",
	"last state, and a cancellation deletes checkpoints",
	"last state, and checkpoints go with the job",
	"a cancellation deletes checkpoints, and there is no place for savepoints",
	"suspended while a cancellation deletes checkpoints, and there is no place for savepoints",
	"an edit while nobody knows whether a cancellation deletes checkpoints",
	"an edit of a failing job whose checkpoints a cancellation deletes",
	"told to start from its own checkpoint, which a cancellation deletes",
	"cancelled behind our back, with its checkpoints",
	"failed with its checkpoints",
	"failed with its checkpoints, and restarted when it fails",
	"finished, as a bounded job does",
	"a stop whose job fails after its savepoint",
	"a stop whose job restarts after its savepoint",
	"a stop whose tasks never end",
	"a person's stop soon after one that was given up",
	"a stop of ours that comes after it was given up",
	"failures that the job survives",
	"a failure that the job does not survive",
	"suspended and told to start from a savepoint",
	"suspended with a savepoint and high availability, and resumed",
	"made again after a deletion",
	"a job that fails before its first checkpoint is rolled back, empty",
	"TLS switched on and off by upgrades",
	"REST over TLS, both sides with a certificate",
	"on ZooKeeper, a stateless upgrade",
	"on ZooKeeper, a lost JobManager",
	"a newer status is put back that speaks of the same Deployment",
	"a snapshot of one job stands for the savepoint of another",
	"a snapshot stands for what a clone is to start from",
	"an old status is put back while a highly available job runs",
}

// applicationStories are the stories of FlinkDeployments. An unless says why no other of them is told of a session job;
// where it is empty, ofOneHost says so of each.
var applicationStories = map[string]struct {
	stories map[string]scenario
	unless  string
}{
	"scenarios":        {scenarios, ""},
	"stateful":         {statefulScenarios, ""},
	"deletion":         {deletionScenarios, ""},
	"taken":            {takenScenarios, ""},
	"recorded":         {recordedScenarios, ""},
	"retention":        {retentionScenarios, ""},
	"late stops":       {lateStopScenarios, ""},
	"exceptions":       {exceptionScenarios, ""},
	"deployed":         {deployedScenarios, ""},
	"disposal":         {disposalScenarios, ""},
	"checkpoint times": {checkpointTimesScenarios, "an application alone has a health check that these times set"},
	"rehearsal":        {rehearsalScenarios, "a session job makes no object that Kubernetes could refuse"},
	"rollback":         {rollbackScenarios, "they go back from an image, or to high-availability data"},
	"tls":              {tlsScenarios, "how a cluster is asked is the cluster's"},
	"zookeeper":        {zookeeperScenarios, "what lies in ZooKeeper is no start for a session job, and is the cluster's"},
	"adaptive":         {adaptiveScenarios, "the scheduler is the cluster's"},
	"health":           {healthScenarios, "a session job has no check of its health, as with the Java operator"},
	"ingress":          {ingressScenarios, "an Ingress is the cluster's"},
	"nodes":            {nodeScenarios, "pods are the cluster's"},
	"lost":             {lostProgressScenarios, "an application begins again from its high-availability data"},
	"never ran":        {neverRanScenarios, "a container that never ran is the cluster's"},
	"taken over":       {takeoverScenarios, "sessionTakeoverScenarios tell that of session jobs"},
}

// ofOneHost are the other stories of FlinkDeployments, by why they are not told of a session job.
var ofOneHost = map[string][]string{
	"vertices are named by the IDs of one job, and one story is a session job's": {
		"rescaled in place", "rescaled in place, and Flink refuses it", "rescaled by an upgrade",
		"a session job is rescaled in place", "a rescale in place is taken back",
		"a session job's rescale in place is taken back", "the autoscaler follows the load in place",
		"the autoscaler scales by an upgrade", "the autoscaler scales a session job", "the autoscaler is turned off",
		"the autoscaler is reset", "an edit of an autoscaled job",
	},
	"what it tells of an image, a pod or the JobManager's Deployment is told of the session cluster": {
		"an application comes up", "a broken image, then a good one", "two broken images, then a good one",
		"a broken image in an upgrade by last state", "a broken image in an upgrade by savepoint",
		"a crash loop after an upgrade by savepoint", "a missing service account", "a quota in the way",
		"no room on any node", "suspended and resumed", "the JobManager Deployment is deleted",
		"recorded savepoints from start to start",
	},
	"it counts the events of an application; TestAnInvalidSessionJobIsTold tells it of a session job": {
		"an invalid first spec, then a valid one",
	},
	"high-availability data is no start for a session job, which begins from a checkpoint by its path": {
		"an upgrade by last state", "suspended with last state and resumed", "a checkpoint by a resource of its own",
		"a stop that comes late", "an upgrade beside a recorded savepoint", "an edit of a job whose state is lost",
		"last state by cancellation, and that deletes checkpoints",
	},
	"it is of no job": {"a canary is watched"},
	"it is of two FlinkDeployments": {
		"a pair starts, and is deleted", "a stateless pair is changed", "a stateful pair is changed there and back",
		"a pair whose new side never runs", "a pair is suspended and resumed", "a pair whose change is taken back",
		"a side that serves is deleted by hand", "a pair whose new side passes its gates",
		"a pair whose new side is aborted by a user",
		"a pair hands over there and back", "a pair of an application hands over", "a pair whose new main throws",
		"a pair whose new main throws, without a plan", "a pair whose new tasks never run",
		"a pair whose new cluster never runs", "a pair is edited while it hands over",
		"a pair whose handover is taken back", "a pair is suspended while it hands over",
		"a pair of a session job is suspended and resumed", "a pair is deleted while it hands over",
		"a pair without room for a second cluster is upgraded", "a pair whose new JobManager dies after the release",
		"a pair is deleted after the release",
	},
	"the Flink version is the session cluster's": {
		"another Flink version", "another Flink version, and a cancellation deletes checkpoints",
	},
	"the scheduler is the session cluster's": {"a stop whose job fails after its savepoint, adaptive"},
	"what is left is the session cluster's; the deletions of session jobs are told by stories of their own": {
		"deleted after high availability was switched off while it was suspended", "deleted after it failed",
		"deleted at once", "deleted in the foreground, with a savepoint first", "deleted while a savepoint is taken",
		"deleted while broken", "deleted while invalid", "deleted while it is upgraded", "deleted while it runs",
		"deleted while it runs, highly available", "deleted while it starts", "deleted while suspended",
		"deleted with its state lost",
	},
	"it is about a session cluster": {
		"a session cluster comes up", "an upgrade of a session cluster", "a session cluster with a running job",
		"a session cluster has an old status", "a deleted session job while high availability is off",
		"a session cluster, deleted after high availability was switched off",
	},
	"how a cluster is configured and reached, and whether its JobManager responds, is the session cluster's": {
		"a JobManager that is ready and does not respond", "a default port changes under a job",
		"a default port changes under what another operator left",
		"high availability by default, taken away and given back",
	},
	"a session job whose JobManager is lost does not begin again from what it was started from": {
		"a person deletes the snapshot that the job was started from",
		"old savepoints go after a last-state upgrade, but for the one that was first started from",
		"old savepoints go, but for the one that the job was started from",
		"old savepoints of the record go, but for the one that the job was started from",
	},
	"not yet told of a session job": {
		"the status of a suspension is put back while the job runs", "the status of another resource",
		"with LEGACY nothing that checkpoints may be built on goes",
	},
	"it is about no job": {"a savepoint that exists already", "the clock"},
}

// sessionStories are those of session jobs and their clusters alone.
var sessionStories = []map[string]scenario{
	sessionJobScenarios, sessionFaultScenarios, sessionChangeScenarios, sessionTakeoverScenarios,
}

// A story that is renamed, or a new one, is told of both hosts, or somebody says why not.
func TestStoriesAreToldOfBothHosts(t *testing.T) {
	for _, name := range ofBothHosts {
		if _, told := scenarios[onSessionMark+name]; !told {
			t.Errorf("ofBothHosts names %q, which no story has", name)
		}
	}
	excused := map[string]bool{}
	for reason, names := range ofOneHost {
		for _, name := range names {
			if _, there := scenarios[name]; !there || excused[name] || slices.Contains(ofBothHosts, name) {
				t.Errorf("%q, of which is said that %s: no story has this name, or it stands twice", name, reason)
			}
			excused[name] = true
		}
	}
	of := map[string]string{} // the reason that a whole file has, by story
	for _, file := range applicationStories {
		for name := range file.stories {
			if file.unless != "" {
				of[name] = file.unless
			}
		}
	}
	both := 0
	for _, name := range names(scenarios) {
		session := slices.ContainsFunc(sessionStories, func(m map[string]scenario) bool { return m[name].story != nil })
		switch {
		case session, strings.HasPrefix(name, onSessionMark), strings.HasPrefix(name, deletedMark):
		case slices.Contains(ofBothHosts, name):
			both++
		case excused[name] == (of[name] != ""):
			t.Errorf("%q is told of an application alone: add it to ofBothHosts, or to ofOneHost with the reason", name)
		}
	}
	t.Logf("%d stories are told of both hosts", both)
}
