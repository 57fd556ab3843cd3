package specdiff_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

// twin classifies a change of a FlinkDeployment from the JSON texts of both specs alone, field name by field name,
// without the tables.
func twin(was, now map[string]any, mode v1beta1.Mode) (specdiff.Kind, int) {
	kind, fields := specdiff.None, 0
	order := []specdiff.Kind{specdiff.None, specdiff.Ignore, specdiff.Scale, specdiff.Upgrade, specdiff.SavepointRedeploy}
	add := func(k specdiff.Kind) {
		fields++
		for _, worse := range order {
			if worse == kind {
				kind = k
				break
			}
			if worse == k {
				break
			}
		}
	}
	standalone := mode == v1beta1.ModeStandalone
	for name := range now {
		before, after := was[name], now[name]
		switch {
		case name == "flinkConfiguration":
			before, after := before.(map[string]any), after.(map[string]any)
			for key := range union(before, after) {
				if reflect.DeepEqual(before[key], after[key]) {
					continue
				}
				switch {
				case strings.HasPrefix(key, "kubernetes.operator"), strings.HasPrefix(key, "job.autoscaler"),
					strings.HasPrefix(key, "parallelism.default"):
					add(specdiff.Ignore)
				case strings.HasPrefix(key, "pipeline.jobvertex-parallelism-overrides") && !standalone:
					add(specdiff.Scale)
				default:
					add(specdiff.Upgrade)
				}
			}
		case (name == "job" || name == "taskManager") && before != nil && after != nil:
			inner, innerFields := twinPart(before.(map[string]any), after.(map[string]any), standalone)
			for range innerFields - 1 {
				add(specdiff.Ignore)
			}
			if innerFields > 0 {
				add(inner)
			}
		case reflect.DeepEqual(before, after), name == "restartNonce" && after == nil:
		default:
			add(specdiff.Upgrade)
		}
	}
	return kind, fields
}

func twinPart(was, now map[string]any, standalone bool) (specdiff.Kind, int) {
	worst, rank, fields := specdiff.None, 0, 0
	for name := range now {
		if reflect.DeepEqual(was[name], now[name]) || name == "savepointRedeployNonce" && now[name] == nil {
			continue
		}
		fields++
		kind, severity := specdiff.Upgrade, 3
		switch name {
		case "savepointTriggerNonce", "checkpointTriggerNonce", "initialSavepointPath", "upgradeMode",
			"allowNonRestoredState", "autoscalerResetNonce":
			kind, severity = specdiff.Ignore, 1
		case "savepointRedeployNonce":
			kind, severity = specdiff.SavepointRedeploy, 4
		case "parallelism", "replicas":
			if standalone {
				kind, severity = specdiff.Scale, 2
			}
		}
		if severity > rank {
			worst, rank = kind, severity
		}
	}
	return worst, fields
}

func union(a, b map[string]any) map[string]bool {
	keys := map[string]bool{}
	for key := range a {
		keys[key] = true
	}
	for key := range b {
		keys[key] = true
	}
	return keys
}

// record is the spec as lastReconciledSpec holds it: all fields, defaults filled in.
func record(t *rapid.T, spec *v1beta1.FlinkDeploymentSpec) (text string, fields map[string]any) {
	text, err := v1beta1.ReconciledDeployment{Spec: *spec}.Text()
	if err != nil {
		t.Fatal(err)
	}
	var outer struct {
		Spec map[string]any `json:"spec"`
	}
	if err := json.Unmarshal([]byte(text), &outer); err != nil {
		t.Fatal(err)
	}
	return text, outer.Spec
}

func TestClassifyAgreesWithItsTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		was := drawSpec(t, "was")
		now := was.DeepCopy()
		if rapid.Bool().Draw(t, "unrelated") {
			now = drawSpec(t, "now")
		}
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			drawChange(t, now)
		}
		mode := rapid.SampledFrom([]v1beta1.Mode{"", v1beta1.ModeNative, v1beta1.ModeStandalone}).Draw(t, "mode")
		_, wasFields := record(t, was)
		_, nowFields := record(t, now)
		want, fields := twin(wasFields, nowFields, mode)
		got := specdiff.Classify(was, now, mode)
		if got.Kind != want || len(got.Fields) != fields {
			t.Fatalf("got %s with %d fields, twin says %s with %d: %s", got.Kind, len(got.Fields), want, fields, got.Text)
		}
		if equal := reflect.DeepEqual(wasFields, nowFields); specdiff.Equal(was, now) != equal {
			t.Fatalf("Equal is %v, twin says %v: %s", !equal, equal, got.Text)
		}
		if again := specdiff.Classify(was, now, mode); !reflect.DeepEqual(got, again) {
			t.Fatalf("equal input gives %v and %v", got, again)
		}
	})
}

// What was recorded is read back in each pass: a difference between a spec and its own record would restart the job for
// ever.
func TestARecordedSpecIsNoChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := drawSpec(t, "spec")
		text, _ := record(t, spec)
		read, err := v1beta1.ParseReconciledDeployment(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := specdiff.Classify(&read.Spec, spec, spec.Mode); got.Kind != specdiff.None {
			t.Fatalf("record differs from its spec: %s", got.Text)
		}
		if !specdiff.Equal(&read.Spec, spec) {
			t.Fatalf("record is not equal to its spec: %s", text)
		}
	})
}

func drawSpec(t *rapid.T, label string) *v1beta1.FlinkDeploymentSpec {
	s := &v1beta1.FlinkDeploymentSpec{}
	if rapid.Bool().Draw(t, label+" has a job") {
		s.Job = &v1beta1.JobSpec{}
	}
	if rapid.Bool().Draw(t, label+" has a TaskManager") {
		s.TaskManager = &v1beta1.TaskManagerSpec{}
	}
	for range rapid.IntRange(0, 12).Draw(t, label+" fields") {
		drawChange(t, s)
	}
	return s
}

// drawChange sets one field to one of few values, so that equal values are as likely as different ones.
func drawChange(t *rapid.T, s *v1beta1.FlinkDeploymentSpec) {
	text := func() string { return rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "text") }
	number := func() *int64 { return rapid.SampledFrom([]*int64{nil, ptr(int64(1)), ptr(int64(2))}).Draw(t, "number") }
	small := func() *int32 {
		return rapid.SampledFrom([]*int32{nil, ptr(int32(1)), ptr(int32(2))}).Draw(t, "replicas")
	}
	cluster := []func(){
		func() { s.Image = text() }, func() { s.ImagePullPolicy = text() }, func() { s.ServiceAccount = text() },
		func() { s.FlinkVersion = v1beta1.FlinkVersion(text()) }, func() { s.RestartNonce = number() },
		func() {
			s.Ingress = rapid.SampledFrom([]*v1beta1.IngressSpec{nil, {}, {Template: "a"}}).Draw(t, "ingress")
		},
		func() {
			s.LogConfiguration = rapid.SampledFrom([]map[string]string{nil, {}, {"a": "b"}}).Draw(t, "log")
		},
		func() {
			s.Mode = rapid.SampledFrom([]v1beta1.Mode{"", v1beta1.ModeNative, v1beta1.ModeStandalone}).Draw(t, "spec.mode")
		},
		func() { s.JobManager = &v1beta1.JobManagerSpec{Replicas: small()} }, func() { s.JobManager = nil },
		func() {
			s.PodTemplate = &v1beta1.PodTemplate{}
			s.PodTemplate.Spec.Hostname = text()
		},
		func() {
			s.FlinkConfiguration = v1beta1.FlinkConfiguration(rapid.SampledFrom([]string{"", `{"rest.port":"1"}`,
				`{"rest.port":"2","a":"b"}`,
				`{"kubernetes.operator.x":"1"}`, `{"pipeline.jobvertex-parallelism-overrides":"a:1"}`,
				`{"parallelism.default":"3"}`}).Draw(t, "conf"))
		},
	}
	if j := s.Job; j != nil {
		cluster = append(cluster, func() { j.JarURI = text() }, func() { j.EntryClass = text() },
			func() { j.InitialSavepointPath = text() },
			func() { j.Args = rapid.SampledFrom([][]string{nil, {}, {"a"}, {"a", "b"}}).Draw(t, "args") },
			func() { j.Parallelism = rapid.Int32Range(0, 2).Draw(t, "parallelism") },
			func() {
				j.State = rapid.SampledFrom([]v1beta1.JobState{
					"", v1beta1.JobStateRunning, v1beta1.JobStateSuspended,
				}).Draw(t, "state")
			},
			func() {
				j.UpgradeMode = rapid.SampledFrom([]v1beta1.UpgradeMode{
					"", v1beta1.UpgradeModeStateless, v1beta1.UpgradeModeLastState,
				}).Draw(t, "upgrade mode")
			},
			func() { j.SavepointTriggerNonce = number() }, func() { j.CheckpointTriggerNonce = number() },
			func() { j.SavepointRedeployNonce = number() }, func() { j.AutoscalerResetNonce = number() },
			func() {
				j.AllowNonRestoredState = rapid.SampledFrom([]*bool{nil, ptr(true), ptr(false)}).Draw(t, "allow")
			})
	}
	if tm := s.TaskManager; tm != nil {
		cluster = append(cluster, func() { tm.Replicas = small() },
			func() {
				tm.Resource = rapid.SampledFrom([]*v1beta1.Resource{nil, {Memory: "1g"}, {CPU: ptr(1.5)}}).Draw(t, "resource")
			},
			func() {
				tm.Resources = rapid.SampledFrom([]*v1beta1.ResourceRequirements{
					nil, requests("cpu", "1"), requests("cpu", "x"),
				}).Draw(t, "resources")
			})
	}
	rapid.SampledFrom(cluster).Draw(t, "field")()
}
