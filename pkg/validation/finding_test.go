package validation_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"knative.dev/pkg/apis"
	"pgregory.net/rapid"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

func TestMessage(t *testing.T) {
	for name, row := range map[string]struct {
		reason            string
		change            func(*input)
		headline, message string
	}{
		"valid": {"nothing to say", func(*input) {}, "", ""},
		"one finding": {"what, where, what to do; the beginning is the Java operator's text",
			func(in *input) { in.Spec.Job.Parallelism = 0 },
			"Job parallelism must be larger than 0",
			"Job parallelism must be larger than 0 (spec.job.parallelism): it is 0, set it to 1 or more"},
		"two findings": {"the first broken rule leads, though its text sorts last",
			func(in *input) { in.Name, in.Spec.Job.Parallelism = "A", 0 },
			"The FlinkDeployment name: A is invalid",
			"The FlinkDeployment name: A is invalid (metadata.name): use 1 to 45 characters: lower case letters, digits " +
				"and '-', beginning with a letter " +
				"and ending with a letter or digit; Job parallelism must be larger than 0 (spec.job.parallelism): it is 0, " +
				"set it to 1 or more"},
		"one finding at two places": {"it is told once", func(in *input) {
			in.Spec.JobManager.Resources.Requests, in.Spec.JobManager.Resources.Limits = nil, nil
			in.Spec.Mode = "x"
		}, "JobManager resource memory must be defined", ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := deployment(t)
			row.change(&in)
			got := validation.Deployment(in)
			if headline := validation.Headline(got); !strings.HasPrefix(headline, row.headline) || row.headline == "" &&
				headline != "" {
				t.Errorf("%s: headline %q, want %q", row.reason, headline, row.headline)
			}
			if message := validation.Message(got); row.message != "" && message != row.message || row.headline == "" &&
				message != "" {
				t.Errorf("%s:\n got %s\nwant %s", row.reason, message, row.message)
			}
		})
	}
}

// A resource as the Java operator left it on a real cluster, after an update that it refused: its own words come first.
func TestHeadlineIsTheJavaOperators(t *testing.T) {
	text, err := os.ReadFile("testdata/invalid-update.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, document, _ := strings.Cut(string(text), "---\n")
	resource := parse[v1beta1.FlinkDeployment](t, document)
	var recorded struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal([]byte(resource.Status.Error), &recorded); err != nil {
		t.Fatal(err)
	}
	got := validation.Deployment(validation.DeploymentInput{
		Namespace: resource.Namespace, Name: resource.Name, Labels: resource.Labels, Spec: resource.Spec,
		Status: resource.Status,
	})
	if headline := validation.Headline(got); headline != recorded.Message {
		t.Errorf("headline %q, the Java operator wrote %q", headline, recorded.Message)
	}
	check(t, "one parameter is wrong", got, one("spec.job.parallelism", recorded.Message)...)
}

func TestMessageOfManyFindingsIsCut(t *testing.T) {
	in := deployment(t)
	in.Spec.LogConfiguration = map[string]string{}
	for i := range 70 {
		in.Spec.LogConfiguration["file"+strings.Repeat("x", i)] = ""
	}
	found := validation.Deployment(in)
	for most, message := range map[int]string{
		2000: validation.Message(found), 1024: validation.MessageWithin(found, 1024),
	} {
		told := strings.Count(message, "Invalid log config key")
		if rest := fmt.Sprintf("; and %d more problems, which are left out", 70-told); len(message) > most || told == 0 ||
			!strings.HasSuffix(message, rest) {
			t.Errorf("%d bytes, want %d at most, and %q at its end: %s", len(message), most, rest, message)
		}
	}
}

// The first problem may be long by itself: the others, or how many they are, are told all the same.
func TestALongProblemLeavesRoomForOthers(t *testing.T) {
	paths := make([]string, 100)
	for i := range paths {
		paths[i] = fmt.Sprintf("spec.field-with-a-long-name-%d", i)
	}
	found := (&apis.FieldError{Message: "a", Paths: paths}).Also(&apis.FieldError{Message: "b", Paths: []string{"x"}})
	message := validation.Message(found)
	if len(message) > 2000 || !strings.HasSuffix(message, "…; b (x)") {
		t.Errorf("%d bytes: %s", len(message), message)
	}
	found = found.Also(&apis.FieldError{Message: "c", Paths: []string{"y"}, Details: strings.Repeat("d", 300)})
	message = validation.Message(found)
	if len(message) > 2000 || !strings.HasSuffix(message, "…; and 2 more problems, which are left out") {
		t.Errorf("%d bytes: %s", len(message), message)
	}
}

// What fits to the last byte is told in full; one byte less, and the last problem is counted instead.
func TestMessageThatJustFits(t *testing.T) {
	problems := func(count, length int) *apis.FieldError {
		var found *apis.FieldError
		for i := range count {
			found = found.Also(&apis.FieldError{
				Message: fmt.Sprintf("%02d%s", i, strings.Repeat("x", length-2)), Paths: []string{"p"},
			})
		}
		return found
	}
	for _, count := range []int{2, 3, 11, 12} {
		found := problems(count, 100)
		whole := validation.MessageWithin(found, 100_000)
		if len(whole) != count*(100+len(" (p)"))+(count-1)*len("; ") {
			t.Fatalf("%d problems in %d bytes: %s", count, len(whole), whole)
		}
		if got := validation.MessageWithin(found, len(whole)); got != whole {
			t.Errorf("%d problems in %d bytes: %s", count, len(whole), got)
		}
		got := validation.MessageWithin(found, len(whole)-1)
		if want := whole[:len(whole)-106] + "; and 1 more problem, which is left out"; got != want {
			t.Errorf("%d problems in a byte less:\n got %s\nwant %s", count, got, want)
		}
	}
	// The count of those that are left out needs its place too, and more of it for two digits.
	for rest, text := range map[int]string{
		1: "; and 1 more problem, which is left out", 9: "; and 9 more problems, which are left out",
		10: "; and 10 more problems, which are left out",
	} {
		found := problems(rest+2, 100)
		two := 2*104 + len("; ")
		if got := validation.MessageWithin(found, two+len(text)); len(got) != two+len(text) || !strings.HasSuffix(got, text) {
			t.Errorf("two problems, %d others: %s", rest, got)
		}
		if got := validation.MessageWithin(found, two+len(text)-1); strings.Contains(got, "; 01") ||
			!strings.Contains(got, strconv.Itoa(rest+1)+" more problems") {
			t.Errorf("one problem, %d others: %s", rest+1, got)
		}
	}
}

// One problem alone has all the room, and is cut between characters.
func TestMessageOfOneLongProblem(t *testing.T) {
	for most := 200; most < 204; most++ {
		got := validation.MessageWithin(&apis.FieldError{Message: strings.Repeat("ä", 300)}, most)
		if !utf8.ValidString(got) || len(got) > most || len(got) < most-1 || !strings.HasSuffix(got, "ä…") {
			t.Errorf("%d bytes of %d: %q", len(got), most, got)
		}
	}
	if got := validation.Message(&apis.FieldError{Message: "a"}); got != "a" {
		t.Errorf("a problem without a place: %q", got)
	}
}

// A value of 80 characters is shown whole, a longer one is cut.
func TestMessageShowsALongValue(t *testing.T) {
	for length, want := range map[int]string{
		80: `"` + strings.Repeat("ä", 80) + `"`, 81: `"` + strings.Repeat("ä", 80) + `…"`,
	} {
		in := deployment(t)
		in.Spec.Job.State = v1beta1.JobState(strings.Repeat("ä", length))
		if got := validation.Headline(validation.Deployment(in)); !strings.Contains(got, want) {
			t.Errorf("%d characters: %s, want %s", length, got, want)
		}
	}
}

func TestMessageKeepsTheLevelsOfOthers(t *testing.T) {
	mixed := (&apis.FieldError{Message: "b", Paths: []string{"y"}, Details: "do"}).Also(
		(&apis.FieldError{Message: "a", Paths: []string{"x"}}).At(apis.WarningLevel))
	if got := validation.Message(mixed.Filter(apis.ErrorLevel)); got != "b (y): do" {
		t.Errorf("errors: %q", got)
	}
	if got := validation.Message(mixed.Filter(apis.WarningLevel)); got != "a (x)" {
		t.Errorf("warnings: %q", got)
	}
}

func TestSecretsAreNotShown(t *testing.T) {
	job := sessionJob(t)
	job.Spec.Job.JarURI = "https://user:hunter2@10.0.0.1/a.jar?token=hunter2"
	in := deployment(t)
	in.Spec.FlinkConfiguration = conf("s3.secret-key", "hunter2", "kubernetes.operator.deployment.rollback.enabled", "x")
	for _, got := range []*apis.FieldError{validation.SessionJob(job), validation.Deployment(in)} {
		if text := validation.Message(got); text == "" || strings.Contains(text+got.Error(), "hunter2") {
			t.Errorf("shown: %s", text)
		}
	}
}

// Whatever stands in a resource, all rules are evaluated, and the message is one bounded line that is the same each
// time.
func TestAnythingIsJudged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		got := validation.Deployment(in)
		checkMessage(t, got)
		if again := validation.Deployment(in); validation.Message(again) != validation.Message(got) {
			t.Fatalf("equal input gives %q and %q", validation.Message(got), validation.Message(again))
		}
		checkMessage(t, validation.BlueGreen(validation.BlueGreenInput{Name: in.Name, Operator: in.Operator,
			Spec: v1beta1.FlinkBlueGreenDeploymentSpec{
				Ingress: in.Spec.Ingress, Configuration: map[string]string{junk(t): junk(t)},
				Template: &v1beta1.FlinkDeploymentTemplate{Spec: &in.Spec},
			}}))
		cluster := &v1beta1.FlinkDeployment{Spec: in.Spec}
		checkMessage(t, validation.SessionJob(validation.SessionJobInput{Operator: in.Operator, Cluster: cluster,
			Spec: v1beta1.FlinkSessionJobSpec{
				DeploymentName: in.Name, Job: in.Spec.Job, FlinkConfiguration: in.Spec.FlinkConfiguration,
			}}))
	})
}

func checkMessage(t *rapid.T, got *apis.FieldError) {
	message := validation.Message(got)
	if (got == nil) != (message == "") || !strings.HasPrefix(message, validation.Headline(got)) {
		t.Fatalf("message %q does not begin with headline %q", message, validation.Headline(got))
	}
	if len(message) > 2000 || !utf8.ValidString(message) || strings.ContainsFunc(message, unicode.IsControl) {
		t.Fatalf("message of %d bytes is no bounded line: %q", len(message), message)
	}
}

func junk(t *rapid.T) string {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", " ", "true", "1", "-1", "2Gi", "1 min", "x", "NaN", "9999999999999999999"}),
		rapid.String(),
	).Draw(t, "text")
}

func drawInput(t *rapid.T) validation.DeploymentInput {
	flat := flinkconf.Config{}
	known := []string{"high-availability.type", checkpointDir, "job.autoscaler.enabled",
		"job.autoscaler.utilization.target", "job.autoscaler.excluded.periods",
		"job.autoscaler.metrics.window", "kubernetes.operator.reconcile.interval",
		"kubernetes.operator.deployment.rollback.enabled",
		"taskmanager.memory.process.size", "jobmanager.memory.flink.size", "kubernetes.namespace"}
	for range rapid.IntRange(0, 6).Draw(t, "keys") {
		flat[rapid.OneOf(rapid.SampledFrom(known), rapid.String()).Draw(t, "key")] = junk(t)
	}
	small := rapid.Int32Range(-1, 2)
	spec := v1beta1.FlinkDeploymentSpec{
		FlinkVersion: v1beta1.FlinkVersion(rapid.SampledFrom([]string{"", "v1_20", "v1_14", "x"}).Draw(t, "version")),
		Mode:         v1beta1.Mode(junk(t)), ServiceAccount: junk(t), FlinkConfiguration: write(flat),
		LogConfiguration: map[string]string{junk(t): ""},
	}
	if rapid.Bool().Draw(t, "job") {
		spec.Job = &v1beta1.JobSpec{
			JarURI: junk(t), Parallelism: small.Draw(t, "parallelism"), State: v1beta1.JobState(junk(t)),
			UpgradeMode: v1beta1.UpgradeMode(junk(t)),
		}
	}
	if rapid.Bool().Draw(t, "ingress") {
		spec.Ingress = &v1beta1.IngressSpec{Template: junk(t)}
	}
	if rapid.Bool().Draw(t, "JobManager") {
		spec.JobManager = &v1beta1.JobManagerSpec{
			Replicas: ptr(small.Draw(t, "replicas")), Resource: &v1beta1.Resource{Memory: junk(t), EphemeralStorage: junk(t)},
		}
	}
	if rapid.Bool().Draw(t, "TaskManager") {
		spec.TaskManager = &v1beta1.TaskManagerSpec{Replicas: ptr(small.Draw(t, "replicas")),
			Resources: &v1beta1.ResourceRequirements{
				Requests: quantities{
					"memory": v1beta1.Quantity(junk(t)),
					"cpu":    v1beta1.Quantity(junk(t)),
					junk(t):  v1beta1.Quantity(junk(t)),
				},
				Limits: quantities{"memory": v1beta1.Quantity(junk(t)), "cpu": v1beta1.Quantity(junk(t))},
			}}
	}
	return validation.DeploymentInput{
		Namespace: junk(t), Name: junk(t), Spec: spec, Operator: flinkconf.NewOperator(flat),
	}
}
