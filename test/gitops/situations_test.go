package gitops

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/argoproj/gitops-engine/pkg/health"
	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// verdict is what a user expects to be told of a resource.
type verdict struct {
	name string
	argo health.HealthStatusCode
	flux status.Status
}

var (
	healthy     = verdict{"healthy", health.HealthStatusHealthy, status.CurrentStatus}
	progressing = verdict{"progressing", health.HealthStatusProgressing, status.InProgressStatus}
	degraded    = verdict{"degraded", health.HealthStatusDegraded, status.FailedStatus}
	suspended   = verdict{"suspended", health.HealthStatusSuspended, status.CurrentStatus}
	leaving     = verdict{"progressing", health.HealthStatusProgressing, status.TerminatingStatus}
)

// none is the situation of a resource without a status.
const none = "-"

// expected is what a user expects in each situation of a resource, by whether it waits for the user. Of a resource that
// is being deleted it is leaving, in whichever situation.
var expected = map[string]struct {
	calm, stalled verdict
	why           string
}{
	none:            {calm: progressing, stalled: degraded, why: "not looked at yet; or of a kind that is not run yet"},
	"Canary":        {calm: healthy, why: "it is not to be deployed"},
	"ForeignIntent": {stalled: degraded, why: "its status was copied from another resource"},
	"Stopping":      {calm: progressing, stalled: degraded, why: "a stop is under way, or cannot continue"},
	"Starting":      {calm: progressing, stalled: degraded, why: "a start is under way, or cannot continue"},
	"Invalid":       {stalled: degraded, why: "nothing was ever deployed"},
	"Unaccounted":   {stalled: degraded, why: "something stands in its place"},
	"NeverStarted":  {calm: suspended, why: "it was suspended from the beginning"},
	"Upgrade":       {calm: progressing, why: "the change is being carried out"},
	"Suspend":       {calm: progressing, why: "the job is being stopped"},
	"Resume":        {calm: progressing, why: "the job is being started"},
	"Refused":       {stalled: degraded, why: "what Git has cannot be carried out safely"},
	"StateLost":     {stalled: degraded, why: "a user has to say from which state the job starts"},
	"Lost":          {calm: progressing, why: "the cluster comes back by itself"},
	"Unobservable":  {calm: progressing, stalled: degraded, why: "it will answer again, or a user has to act"},
	"Broken":        {stalled: degraded, why: "the JobManager cannot start"},
	"Waiting":       {calm: progressing, stalled: degraded, why: "its tasks do not run yet, or will not"},
	"Suspended":     {calm: suspended, why: "as the spec asks"},
	"Ended":         {calm: healthy, stalled: degraded, why: "it has FINISHED; or it has FAILED, and that ends a wait"},
	"Steady":        {calm: healthy, stalled: degraded, why: "it runs; or it does so, and the changed spec is refused"},
	// Of pairs.
	"Savepointing":  {calm: progressing, why: "the side that serves gives a savepoint"},
	"Clearing":      {calm: progressing, stalled: degraded, why: "what an earlier side left goes, or does not"},
	"Transitioning": {calm: progressing, stalled: degraded, why: "the new side becomes ready, or cannot"},
	"Gated":         {calm: progressing, why: "the new side is watched while the old one serves"},
	"HandingOver":   {calm: progressing, stalled: degraded, why: "the job moves, or it is not known where it is"},
	"Retiring":      {calm: progressing, why: "the old side goes"},
	"Withdrawing":   {calm: progressing, why: "the change was taken back"},
	"Changing":      {calm: progressing, stalled: degraded, why: "the side that serves is changed in place, or cannot be"},
	"Aborting":      {calm: progressing, stalled: degraded, why: "the new side is given up; what Git has did not start"},
	"Held":          {calm: progressing, stalled: degraded, why: "it is tried again, or was given up"},
	// Of snapshots.
	"Triggering":  {calm: progressing, why: "Flink is asked for it"},
	"AwaitingJob": {calm: progressing, why: "its job will run again"},
	"BackingOff":  {calm: progressing, why: "it is tried again"},
	"Completed":   {calm: healthy, why: "it exists"},
	"Failed":      {stalled: degraded, why: "no attempt is left"},
	"Abandoned":   {stalled: degraded, why: "its job is gone"},
}

// passing are situations that no status shows: the pass that is in one stores the one that follows.
var passing = map[string]bool{"Deleting": true, "FirstStart": true, "Taking": true}

func situationOf(u *unstructured.Unstructured) string {
	situation, _, _ := unstructured.NestedString(u.Object, "status", "situation")
	switch {
	case situation != "":
		return situation
	case u.GetLabels()["flink.apache.org/canary"] != "":
		return "Canary"
	}
	return none
}

func condition(u *unstructured.Unstructured, name string) map[string]any {
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, item := range conditions {
		if c := item.(map[string]any); c["type"] == name {
			return c
		}
	}
	return nil
}

// former are statuses that an earlier release left, and that none leaves any more: the next look writes them again.
var former = map[string]string{
	"stored.yaml: Ended DEPLOYED": "a FAILED job was not Stalled",
}

// wanted is what the table expects of a resource.
func wanted(t *testing.T, u *unstructured.Unstructured) verdict {
	t.Helper()
	row, is := expected[situationOf(u)]
	want := row.calm
	switch {
	case u.GetDeletionTimestamp() != nil:
		return leaving
	case condition(u, "Stalled") != nil:
		want = row.stalled
	}
	if !is || want.name == "" {
		t.Errorf("the table has no row for situation %q of %v", situationOf(u), u.Object["status"])
	}
	return want
}

// TestEverySituationIsJudged has Argo CD, with the scripts of config/gitops, and Flux judge what test/scenario has
// recorded.
func TestEverySituationIsJudged(t *testing.T) {
	argo, seen, judged := withOurs(t), map[string]bool{}, 0
	for name, u := range recorded(t) {
		if former[name] != "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			want := wanted(t, u)
			judge(t, argo, u, want)
			if want == leaving {
				return
			}
			// Somebody has just changed its spec.
			changed := u.DeepCopy()
			changed.SetGeneration(u.GetGeneration() + 1)
			judge(t, argo, changed, progressing)
		})
		seen[situationOf(u)] = true
		judged++
	}
	for situation := range expected {
		if !seen[situation] {
			t.Errorf("no recorded status is in situation %s", situation)
		}
	}
	for _, situation := range allSituations(t) {
		if _, is := expected[situation]; !is && !passing[situation] {
			t.Errorf("the table has no row for situation %s", situation)
		}
	}
	t.Logf("%d statuses, %d situations", judged, len(seen))
}

func judge(t *testing.T, argo argoCD, u *unstructured.Unstructured, want verdict) {
	t.Helper()
	said, err := health.GetResourceHealth(u, argo)
	if err != nil {
		t.Fatal(err)
	}
	if said.Status != want.argo || said.Message == "" {
		t.Errorf("Argo CD says %s (%s), a user expects %s", said.Status, said.Message, want.name)
	}
	result, err := status.Compute(u)
	if err != nil {
		t.Fatal(err)
	}
	if result.Status != want.flux {
		t.Errorf("Flux says %s (%s), a user expects %s", result.Status, result.Message, want.name)
	}
}

// allSituations are those that the product has.
func allSituations(t *testing.T) []string {
	t.Helper()
	var all []string
	declared := regexp.MustCompile(`(?m)^\t\w+ +(?:plan\.)?Situation = "(\w+)"$`)
	files := []string{"pkg/plan/situation.go", "pkg/plan/snapshot/snapshot.go", "pkg/bluegreen/snapshot.go"}
	for _, file := range files {
		content, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range declared.FindAllStringSubmatch(string(content), -1) {
			all = append(all, found[1])
		}
	}
	if len(all) < 30 {
		t.Fatalf("only the situations %s", strings.Join(all, " "))
	}
	return all
}
