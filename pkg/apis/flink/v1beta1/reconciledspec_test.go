package v1beta1

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const metaText = `"resource_metadata":{"apiVersion":"flink.apache.org/v1beta1","firstDeployment":true}`

func TestParseReconciledDeployment(t *testing.T) {
	first := &ReconciledMetadata{APIVersion: APIVersion, FirstDeployment: true}
	rows := map[string]struct {
		reason string
		text   string
		image  string
		meta   *ReconciledMetadata
	}{
		"present form": {"spec and metadata side by side", `{"spec":{"image":"i"},` + metaText + `}`, "i", first},
		"unknown fields": {
			"a newer operator may write more", `{"spec":{"image":"i","new":{}},"more":1,` + metaText + `}`, "i", first,
		},
		"old metadata inside": {
			"an early form kept object metadata there",
			`{"spec":{"image":"i"},"resource_metadata":{"apiVersion":"flink.apache.org/v1beta1",` +
				`"metadata":{"generation":2},"firstDeployment":true}}`,
			"i", first,
		},
		"spec at the top": {
			"written before 1.0: the whole object is the spec", `{"apiVersion":"v1beta1","image":"i","job":null}`, "i", nil,
		},
		"only old bookkeeping": {
			"an old text of which nothing is left of the spec",
			`{"apiVersion":"v1beta1","metadata":{"generation":1},"firstDeployment":true}`, "", nil,
		},
		"null metadata": {
			"is metadata of no content, not the old form", `{"spec":{"image":"i"},"resource_metadata":null}`, "i", nil,
		},
		"metadata without spec": {"an empty record", `{` + metaText + `}`, "", first},
		"white space":           {"a person edited it", "{\n \"spec\": {\"image\": \"i\"},\n" + metaText + "}", "i", first},
	}
	for name, row := range rows {
		got, err := ParseReconciledDeployment(row.text)
		if err != nil || got.Spec.Image != row.image || !cmp.Equal(got.Meta, row.meta) {
			t.Errorf("%s (%s): image %q, meta %+v, %v", name, row.reason, got.Spec.Image, got.Meta, err)
		}
	}
}

func TestParseReconciledRefusesWhatIsNoRecord(t *testing.T) {
	for name, text := range map[string]string{
		"empty":        ``,
		"not JSON":     `{"spec":`,
		"list":         `[]`,
		"spec is text": `{"spec":"x",` + metaText + `}`,
		"meta is text": `{"spec":{},"resource_metadata":"x"}`,
		"spec is list": `{"spec":[],"resource_metadata":{}}`,
	} {
		if _, err := ParseReconciledDeployment(text); err == nil || !strings.Contains(err.Error(), "recorded spec") {
			t.Errorf("deployment, %s: %v", name, err)
		}
		if _, err := ParseReconciledSessionJob(text); err == nil {
			t.Errorf("session job, %s: no error", name)
		}
		if _, err := ParseReconciledBlueGreen(text); err == nil && name != "meta is text" {
			t.Errorf("blue/green, %s: no error", name)
		}
	}
}

func TestReconciledDeploymentText(t *testing.T) {
	job := func(fields string) string {
		return `{"jarURI":null,"parallelism":0,"entryClass":null,"args":[],"state":"running",` +
			`"savepointTriggerNonce":null,` +
			`"initialSavepointPath":null,"checkpointTriggerNonce":null,` + fields +
			`"allowNonRestoredState":null,"savepointRedeployNonce":null,"autoscalerResetNonce":null}`
	}
	const noMeta = `"resource_metadata":{"apiVersion":"flink.apache.org/v1beta1","firstDeployment":false}`
	rows := map[string]struct {
		reason string
		spec   FlinkDeploymentSpec
		want   string
	}{
		"empty": {
			"every key is there, null when unset",
			FlinkDeploymentSpec{},
			`{"spec":{"job":null,"restartNonce":null,"flinkConfiguration":{},"image":null,"imagePullPolicy":null,` +
				`"serviceAccount":null,` +
				`"flinkVersion":null,"ingress":null,"podTemplate":null,"jobManager":null,"taskManager":null,` +
				`"logConfiguration":null,"mode":null},` + noMeta + `}`,
		},
		"defaults": {
			"what is not written is printed with its default",
			FlinkDeploymentSpec{Job: &JobSpec{}, JobManager: &JobManagerSpec{}, TaskManager: &TaskManagerSpec{}},
			`{"spec":{"job":` + job(`"upgradeMode":"stateless",`) +
				`,"restartNonce":null,"flinkConfiguration":{},"image":null,"imagePullPolicy":null,"serviceAccount":null,` +
				`"flinkVersion":null,"ingress":null,"podTemplate":null,"jobManager":{"resource":null,"resources":null,` +
				`"replicas":1,"podTemplate":null},` +
				`"taskManager":{"resource":null,"resources":null,"replicas":null,"podTemplate":null},"logConfiguration":null,` +
				`"mode":null},` + noMeta + `}`,
		},
		"values": {
			"zero that was written stays zero; maps are sorted; doubles as Java prints them; quantities as text",
			FlinkDeploymentSpec{
				RestartNonce: ptr(int64(0)),
				FlinkConfiguration: FlinkConfiguration(
					"{ \"b\": {\"y\": [1, \"2\"]},\n \"a.c\": 1.50, \"a.c\": \"x\\u003cy\" }",
				),
				FlinkVersion: FlinkV2_0,
				Ingress: &IngressSpec{
					Template: "t", Labels: map[string]string{"b": "1", "a": "2"},
					TLS: []IngressTLS{{Hosts: []string{"h"}}, {SecretName: "s"}},
				},
				JobManager: &JobManagerSpec{Replicas: ptr(int32(0)), Resource: &Resource{CPU: ptr(2.0), Memory: "1g"}},
				TaskManager: &TaskManagerSpec{Replicas: ptr(int32(3)), Resources: &ResourceRequirements{
					Limits: map[string]Quantity{"memory": "2Gi", "cpu": "2"},
				}},
				LogConfiguration: map[string]string{"log4j-console.properties": "a=\"b\"\n\tc\x01"},
				Mode:             ModeStandalone,
			},
			`{"spec":{"job":null,"restartNonce":0,"flinkConfiguration":{"b":{"y":[1,"2"]},"a.c":1.50,"a.c":"x\u003cy"},` +
				`"image":null,"imagePullPolicy":null,"serviceAccount":null,` +
				`"flinkVersion":"v2_0","ingress":{"template":"t","className":null,"annotations":null,"labels":{"a":"2",` +
				`"b":"1"},"tls":[{"hosts":["h"]},{"secretName":"s"}]},` +
				`"podTemplate":null,"jobManager":{"resource":{"cpu":2.0,"memory":"1g","ephemeralStorage":null},` +
				`"resources":null,"replicas":0,"podTemplate":null},` +
				`"taskManager":{"resource":null,"resources":{"limits":{"cpu":"2","memory":"2Gi"}},"replicas":3,` +
				`"podTemplate":null},` +
				`"logConfiguration":{"log4j-console.properties":"a=\"b\"\n\tc\u0001"},"mode":"standalone"},` + noMeta + `}`,
		},
	}
	for name, row := range rows {
		got, err := ReconciledDeployment{Spec: row.spec}.Text()
		if diff := cmp.Diff(row.want, got); diff != "" || err != nil {
			t.Errorf("%s (%s): %v\n%s", name, row.reason, err, diff)
		}
	}
}

func TestReconciledTextOfBrokenRawTextFails(t *testing.T) {
	broken := FlinkDeploymentSpec{FlinkConfiguration: FlinkConfiguration(`{"a":`)}
	if text, err := (ReconciledDeployment{Spec: broken}).Text(); err == nil {
		t.Errorf("printed %s", text)
	}
	if text, err := (ReconciledSessionJob{
		Spec: FlinkSessionJobSpec{FlinkConfiguration: FlinkConfiguration(`x`)},
	}).Text(); err == nil {
		t.Errorf("printed %s", text)
	}
}

func TestReconciledSessionJobText(t *testing.T) {
	want := `{"spec":{"job":{"jarURI":"https://example.org/a.jar","parallelism":2,"entryClass":"C","args":["a","b"],` +
		`"state":"suspended",` +
		`"savepointTriggerNonce":1,"initialSavepointPath":"s3://b/s","checkpointTriggerNonce":2,` +
		`"upgradeMode":"last-state",` +
		`"allowNonRestoredState":false,"savepointRedeployNonce":3,"autoscalerResetNonce":4},"restartNonce":5,` +
		`"flinkConfiguration":{"a":"b"},"deploymentName":"d"},` + metaText + `}`
	record, err := ParseReconciledSessionJob(want)
	if err != nil || record.Spec.DeploymentName != "d" || *record.Spec.Job.AllowNonRestoredState ||
		!record.Meta.FirstDeployment {
		t.Fatalf("%+v, %v", record, err)
	}
	if got, err := record.Text(); got != want || err != nil {
		t.Errorf("%v\n%s", err, cmp.Diff(want, got))
	}
}

// T11.12: a record is printed as it was read, in the order of the Java operator.
func TestReconciledBlueGreenText(t *testing.T) {
	rows := map[string]struct{ reason, want string }{
		"empty": {"nulls are written", `{"spec":{"ingress":null,"template":null,"configuration":null}}`},
		"half full": {
			"template metadata is stored as written",
			`{"spec":{"ingress":null,"template":{"metadata":{"labels":{"b":"1"}},"spec":null},"configuration":{"k":"v"}}}`,
		},
	}
	for name, row := range rows {
		spec, err := ParseReconciledBlueGreen(row.want)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := ReconciledBlueGreenText(&spec); got != row.want || err != nil {
			t.Errorf("%s (%s): %v\n%s", name, row.reason, err, cmp.Diff(row.want, got))
		}
	}
	if _, err := ParseReconciledBlueGreen(`{"configuration":{}}`); err == nil {
		t.Error("a record without spec is no error: an older form never existed")
	}
	full := FlinkBlueGreenDeploymentSpec{Template: &FlinkDeploymentTemplate{Spec: &FlinkDeploymentSpec{Image: "i"}}}
	text, err := ReconciledBlueGreenText(&full)
	if err != nil || !strings.Contains(text, `"template":{"metadata":null,"spec":{"job":null,`) {
		t.Errorf("%s, %v", text, err)
	}
}

func TestNextMetadata(t *testing.T) {
	first, later := &ReconciledMetadata{FirstDeployment: true}, &ReconciledMetadata{}
	rows := map[string]struct {
		reason   string
		recorded string
		state    ReconciliationState
		previous *ReconciledMetadata
		want     bool
	}{
		"nothing recorded": {"this is the first", "", "", nil, true},
		"recorded while deployed": {
			"only metadata changes: it is still the first", "{}", ReconciliationDeployed, first, true,
		},
		"upgrade of the first":     {"an upgrade makes it the second", "{}", ReconciliationUpgrading, first, false},
		"rolled back":              {"something else ran in between", "{}", ReconciliationRolledBack, first, false},
		"recorded, later":          {"never becomes true again", "{}", ReconciliationDeployed, later, false},
		"recorded in an old form":  {"not known, so not the first", "{}", ReconciliationDeployed, nil, false},
		"nothing recorded, stored": {"nothing recorded wins", "", ReconciliationDeployed, later, true},
	}
	for name, row := range rows {
		got := NextMetadata(ReconciliationStatus{LastReconciledSpec: row.recorded, State: row.state}, row.previous)
		if got.FirstDeployment != row.want || got.APIVersion != "flink.apache.org/v1beta1" {
			t.Errorf("%s (%s): %+v", name, row.reason, got)
		}
	}
}

func TestReconciledJobState(t *testing.T) {
	rows := map[string]struct {
		reason, text string
		want         JobState
	}{
		"suspended": {
			"as recorded", `{"spec":{"job":{"state":"suspended"}},"resource_metadata":{}}`, JobStateSuspended,
		},
		"not written":     {"the default", `{"spec":{"job":{}},"resource_metadata":{}}`, JobStateRunning},
		"null state":      {"the default", `{"spec":{"job":{"state":null}}}`, JobStateRunning},
		"old form":        {"spec at the top", `{"apiVersion":"v1beta1","job":{"state":"suspended"}}`, JobStateSuspended},
		"session cluster": {"no job, no state", `{"spec":{"job":null},"resource_metadata":{}}`, ""},
		"empty":           {"nothing recorded", ``, ""},
		"broken":          {"cannot be read", `{"spec":`, ""},
	}
	for name, row := range rows {
		if got := ReconciledJobState(row.text); got != row.want {
			t.Errorf("%s (%s): %q", name, row.reason, got)
		}
	}
}

// Whatever a spec holds, its text parses to a spec that prints the same text.
// "Stable" is equality of texts, so this must hold for every spec.
func TestRecordedTextIsAFixedPoint(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		spec := drawSpec(rt)
		text, err := ReconciledDeployment{
			Spec: spec, Meta: &ReconciledMetadata{APIVersion, rapid.Bool().Draw(rt, "first")},
		}.Text()
		if err != nil {
			rt.Fatalf("print: %v", err)
		}
		parsed, err := ParseReconciledDeployment(text)
		if err != nil {
			rt.Fatalf("parse %s: %v", text, err)
		}
		again, err := parsed.Text()
		if err != nil || again != text {
			rt.Fatalf("not a fixed point: %v\n%s", err, cmp.Diff(text, again))
		}
		if spec.Job != nil && parsed.Spec.Job.DesiredUpgradeMode() != spec.Job.DesiredUpgradeMode() {
			rt.Fatalf("upgrade mode %q became %q", spec.Job.UpgradeMode, parsed.Spec.Job.UpgradeMode)
		}
	})
}

func drawSpec(rt *rapid.T) FlinkDeploymentSpec {
	word := rapid.String()
	number := rapid.Ptr(rapid.Int64(), true)
	words := rapid.MapOf(word, word)
	spec := FlinkDeploymentSpec{
		RestartNonce:     number.Draw(rt, "restartNonce"),
		Image:            word.Draw(rt, "image"),
		FlinkVersion:     FlinkVersion(word.Draw(rt, "flinkVersion")),
		LogConfiguration: words.Draw(rt, "logConfiguration"),
		TaskManager: &TaskManagerSpec{
			Resource: &Resource{CPU: rapid.Ptr(rapid.Float64(), true).Draw(rt, "cpu"), Memory: word.Draw(rt, "memory")},
			Replicas: rapid.Ptr(rapid.Int32(), true).Draw(rt, "replicas"),
		},
	}
	if rapid.Bool().Draw(rt, "job") {
		spec.Job = &JobSpec{
			Args:        rapid.SliceOf(word).Draw(rt, "args"),
			Parallelism: rapid.Int32().Draw(rt, "parallelism"),
			UpgradeMode: UpgradeMode(word.Draw(rt, "upgradeMode")),
			EntryClass:  word.Draw(rt, "entryClass"),
		}
	}
	if rapid.Bool().Draw(rt, "ingress") {
		spec.Ingress = &IngressSpec{
			Annotations: words.Draw(rt, "annotations"), TLS: []IngressTLS{{SecretName: word.Draw(rt, "secret")}},
		}
	}
	return spec
}

func FuzzParseReconciledDeployment(f *testing.F) {
	f.Add(`{"spec":{"job":{"args":["a"]},"flinkConfiguration":{"a":"\ud83d\ude00\u2028"}},` + metaText + `}`)
	f.Add(`{"apiVersion":"v1beta1","job":{}}`)
	f.Add(`{"spec":{"job":{}},"spec":{},` + metaText + `}`)
	f.Add(`{"spec":{"job":{"parallelism":"x"}},` + metaText + `}`)
	f.Add(`{"spec":null,` + metaText + `}`)
	f.Add(`{"spec":{"job":{"state":"suspended","x":[{}]},"image":null},` + metaText + `}`)
	f.Add(`{"spec":{"job":null,"JOB":{}},` + metaText + `}`)
	f.Add(`{"spec":{"job":{"state":"","State":"a"}},` + metaText + `}`)
	f.Add(`{"spec":{"image":"i"} ,` + metaText + `}`)
	f.Add(`{"spec":{"podTemplate":{"spec":{"containers":[{"name":"c"}]}}},"resource_metadata":null}`)
	f.Fuzz(func(t *testing.T, text string) {
		if quick, slow := ReconciledJobState(text), decodeJobState(text); quick != slow {
			t.Fatalf("the state of the job is %q, decoded it is %q", quick, slow)
		}
		record, err := ParseReconciledDeployment(text)
		spec, meta, anyErr := parseAnyRecord[FlinkDeploymentSpec](text)
		if diff := cmp.Diff(ReconciledDeployment{spec, meta}, record); diff != "" || fmt.Sprint(err) != fmt.Sprint(anyErr) {
			t.Fatalf("read as printed: %v; read as any form: %v\n%s", err, anyErr, diff)
		}
		if err != nil {
			return
		}
		first, err := record.Text()
		if err != nil {
			return // raw JSON nested deeper than can be printed
		}
		parsed, err := ParseReconciledDeployment(first)
		if err != nil {
			t.Fatalf("our own text cannot be read: %v\n%s", err, first)
		}
		if second, err := parsed.Text(); err != nil || second != first {
			t.Fatalf("not a fixed point: %v\n%s\n%s", err, first, second)
		}
	})
}
