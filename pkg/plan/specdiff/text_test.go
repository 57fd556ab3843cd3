package specdiff_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

func TestDiffText(t *testing.T) {
	for name, row := range map[string]struct {
		reason, was, now, want string
	}{
		"scalars, a removed object, a list item and a nonce": {
			reason: "the text of the Java operator's own test, in its order of fields",
			was: `{image: img1, ingress: {template: temp}, podTemplate: {spec: {hostname: localhost1, hostAliases: ` +
				`[{ip: ip, hostnames: [host1, host2]}]}}}`,
			now: `{image: img2, podTemplate: {spec: {hostname: localhost2, hostAliases: [{ip: ip, hostnames: [host1]}]}}, ` +
				`restartNonce: 1}`,
			want: "Diff: FlinkDeploymentSpec[image : img1 -> img2, ingress : {..} -> null, " +
				"podTemplate.spec.hostAliases.0.hostnames.1 : host2 -> null, podTemplate.spec.hostname : localhost1 -> " +
				"localhost2, " +
				"restartNonce : null -> 1]",
		},
		"suspend": {
			reason: "as the Java operator printed it on a real cluster",
			was:    `{job: {state: running, upgradeMode: stateless}}`,
			now:    `{job: {state: suspended, upgradeMode: savepoint}}`,
			want:   "Diff: FlinkDeploymentSpec[job.state : running -> suspended, job.upgradeMode : stateless -> savepoint]",
		},
		"parallelism": {
			reason: "as the Java operator printed it on a real cluster",
			was:    `{job: {parallelism: 2, upgradeMode: savepoint}}`,
			now:    `{job: {parallelism: 1, upgradeMode: last-state}}`,
			want:   "Diff: FlinkDeploymentSpec[job.parallelism : 2 -> 1, job.upgradeMode : savepoint -> last-state]",
		},
		"configuration": {
			reason: "flat keys in the order of a Java hash set; a value that is not there is null, an empty one is quoted",
			was:    `{flinkConfiguration: {a: 1, rest: {port: 8081}}}`,
			now:    `{flinkConfiguration: {a: "", b: x, rest.port: 8081}}`,
			want:   `Diff: FlinkDeploymentSpec[flinkConfiguration.a : 1 -> "", flinkConfiguration.b : null -> x]`,
		},
		"secrets": {
			reason: "an event is read by more people than a Secret",
			was: `{flinkConfiguration: {s3.secret-key: old}, podTemplate: {spec: {containers: [{name: c, env: [{name: ` +
				`DB_PASSWORD, value: old}]}]}}}`,
			now: `{flinkConfiguration: {s3.secret-key: new}, podTemplate: {spec: {containers: [{name: c, env: [{name: ` +
				`DB_PASSWORD, value: new}]}]}}}`,
			want: "Diff: FlinkDeploymentSpec[podTemplate.spec.containers.0.env.0.value : ****** -> ******, " +
				"flinkConfiguration.s3.secret-key : ****** -> ******]",
		},
		"objects that come and go": {
			reason: "a mark stands for their content",
			was:    `{job: {parallelism: 1}, ingress: {template: a, labels: {x: y}}}`,
			now:    `{taskManager: {replicas: 1}, ingress: {template: b, className: nginx}}`,
			want: "Diff: FlinkDeploymentSpec[ingress.template : a -> b, ingress.labels : {..} -> null, ingress.className : " +
				"null -> nginx, " +
				"taskManager : null -> {..}, job : {..} -> null]",
		},
		"JobManager": {
			reason: "what differs inside is shown, in the order of its declaration",
			was:    `{jobManager: {resources: {requests: {memory: 1g, cpu: "1"}}}}`,
			now:    `{jobManager: {resources: {requests: {memory: 2g, cpu: "1"}}, replicas: 2, resource: {memory: 3g}}}`,
			want: "Diff: FlinkDeploymentSpec[jobManager.resources.requests.memory : 1g -> 2g, jobManager.replicas : 1 " +
				"-> 2, " +
				"jobManager.resource : null -> {..}]",
		},
		"arguments": {
			reason: "lists are lined up along what they have in common",
			was:    `{job: {args: [a, b, c]}}`,
			now:    `{job: {args: [a, x, c, d]}}`,
			want:   "Diff: FlinkDeploymentSpec[job.args.1 : b -> x, job.args.3 : null -> d]",
		},
		"an argument removed in front": {
			reason: "the positions are those of a JSON patch, the values those at that position on both sides",
			was:    `{job: {args: [x, a, b]}}`,
			now:    `{job: {args: [a, b]}}`,
			want:   "Diff: FlinkDeploymentSpec[job.args.0 : x -> a]",
		},
		"an argument added in the middle": {
			reason: "as above",
			was:    `{job: {args: [a, b]}}`,
			now:    `{job: {args: [a, x, b]}}`,
			want:   "Diff: FlinkDeploymentSpec[job.args.1 : b -> x]",
		},
		"arguments added in front and taken from the end": {
			reason: "as above",
			was:    `{job: {args: [a, b, c]}}`,
			now:    `{job: {args: [x, v, a, b]}}`,
			want:   "Diff: FlinkDeploymentSpec[job.args.0 : a -> x, job.args.1 : b -> v, job.args.4 : null -> null]",
		},
		"arguments taken away twice": {
			reason: "as above",
			was:    `{job: {args: [x, a, v, b]}}`,
			now:    `{job: {args: [a, b, z]}}`,
			want:   "Diff: FlinkDeploymentSpec[job.args.0 : x -> a, job.args.1 : a -> b, job.args.2 : v -> z]",
		},
		"nothing": {reason: "no change has no text", was: `{image: a}`, now: `{image: a}`, want: ""},
	} {
		t.Run(name, func(t *testing.T) {
			was, now := parse[v1beta1.FlinkDeploymentSpec](t, row.was), parse[v1beta1.FlinkDeploymentSpec](t, row.now)
			if got := specdiff.Classify(was, now, "").Text; got != row.want {
				t.Errorf("%s:\n got %s\nwant %s", row.reason, got, row.want)
			}
		})
	}
}

func TestSessionJobTextNamesItsSpec(t *testing.T) {
	was, now := sessionJob(t), sessionJob(t)
	now.Job.Parallelism = 2
	change := specdiff.Classify(was, now, "")
	const want = "UPGRADE change(s) detected (Diff: FlinkSessionJobSpec[job.parallelism : 1 -> 2]), starting " +
		"reconciliation."
	if got := change.EventMessage(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestFieldChangesHoldTheirValues(t *testing.T) {
	was := parse[v1beta1.FlinkDeploymentSpec](
		t, `{image: a, ingress: {template: t}, flinkConfiguration: {password: p, x: 1}}`,
	)
	now := parse[v1beta1.FlinkDeploymentSpec](
		t, `{mode: standalone, job: {args: [b]}, flinkConfiguration: {password: q}}`,
	)
	got := specdiff.Classify(was, now, v1beta1.ModeStandalone).Fields
	want := []specdiff.FieldChange{
		{Path: "image", Old: "a", New: "null", Kind: specdiff.Upgrade},
		{Path: "ingress", Old: "{..}", New: "null", Kind: specdiff.Upgrade},
		{Path: "mode", Old: "null", New: "standalone", Kind: specdiff.Upgrade},
		{Path: "job", Old: "null", New: "{..}", Kind: specdiff.Upgrade},
		{Path: "flinkConfiguration.password", Old: "******", New: "******", Kind: specdiff.Upgrade},
		{Path: "flinkConfiguration.x", Old: "1", New: "null", Kind: specdiff.Upgrade},
	}
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("field %d: got %+v, want %+v", i, got[i], want[i])
		}
	}
}

func TestTextsAreBounded(t *testing.T) {
	was, now := application(t), application(t)
	now.Image = strings.Repeat("ü", 100_000)
	for i := range 3000 {
		now.Job.Args = append(now.Job.Args, strings.Repeat("x", i%7)+strings.Repeat("é", 300))
		was.Job.Args = append(was.Job.Args, "y")
	}
	change := specdiff.Classify(was, now, "")
	if len(change.Text) > 4000 || !utf8.ValidString(change.Text) || !strings.HasSuffix(change.Text, ", …]") {
		t.Errorf("text of %d bytes ends with %q", len(change.Text), change.Text[max(0, len(change.Text)-20):])
	}
	for _, field := range change.Fields {
		if n := utf8.RuneCountInString(field.New); n > 200 {
			t.Errorf("%s has %d characters", field.Path, n)
		}
	}
}

func TestSecretsInsideListsAreHidden(t *testing.T) {
	was, now := application(t), application(t)
	now.PodTemplate.Spec.Containers[0].Env = nil
	text := specdiff.Classify(was, now, "").Text
	if strings.Contains(text, "hunter2") || !strings.Contains(text, "podTemplate.spec.containers.0.env : ") {
		t.Errorf("got %s", text)
	}
}
