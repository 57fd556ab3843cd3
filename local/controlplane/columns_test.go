package controlplane

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What `kubectl get flink` prints: all four kinds, each with the columns of the Java operator, Ready and Age.
func TestKubectlGetsAllOfFlink(t *testing.T) {
	installKinds(t)
	t.Parallel()
	ns := namespace(t)
	const ready = "conditions: [{type: Ready, status: 'True', reason: Ready, message: m, " +
		"lastTransitionTime: '2026-01-01T12:00:00Z'}]"
	store(t, ns, "cluster", object(t, cluster("cluster", "")+
		"status: {lifecycleState: STABLE, jobStatus: {state: RUNNING}, "+ready+"}").Object)
	store(t, ns, "job", object(t, "{apiVersion: flink.apache.org/v1beta1, kind: FlinkSessionJob, metadata: {}, "+
		"spec: {deploymentName: a, job: {jarURI: 'https://a/b.jar', parallelism: 1}}, "+
		"status: {lifecycleState: CREATED, jobStatus: {state: RECONCILING}}}").Object)
	store(t, ns, "snapshot", object(t, "{apiVersion: flink.apache.org/v1beta1, kind: FlinkStateSnapshot, metadata: {}, "+
		"spec: {jobReference: {kind: FlinkDeployment, name: a}, savepoint: {}}, "+
		"status: {state: COMPLETED, path: 's3://a/b', resultTimestamp: '2026-01-01T12:00:00Z', "+ready+"}}").Object)
	store(t, ns, "both", object(t, activeBlue).Object)
	command := exec.CommandContext(t.Context(), "kubectl", "get", "flink", "-n", ns, "--cache-dir", t.TempDir())
	command.Env = append(os.Environ(), "KUBECONFIG="+plane.Kubeconfig())
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got []string
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" {
			got = append(got, regexp.MustCompile(`\s{2,}`).ReplaceAllString(line, " | "))
		}
	}
	age := regexp.MustCompile(`\| \d+s$`)
	for i := range got {
		got[i] = age.ReplaceAllString(got[i], "| age")
	}
	want := []string{
		"NAME | JOB STATUS | READY | AGE",
		"flinkbluegreendeployment.flink.apache.org/both | RUNNING | age",
		"NAME | JOB STATUS | LIFECYCLE STATE | READY | AGE",
		"flinkdeployment.flink.apache.org/cluster | RUNNING | STABLE | True | age",
		"NAME | JOB STATUS | LIFECYCLE STATE | READY | AGE",
		"flinksessionjob.flink.apache.org/job | RECONCILING | CREATED | age",
		"NAME | PATH | RESULT TIMESTAMP | SNAPSHOT STATE | READY | AGE",
		"flinkstatesnapshot.flink.apache.org/snapshot | s3://a/b | 2026-01-01T12:00:00Z | COMPLETED | True | age",
	}
	if !slices.Equal(got, want) {
		t.Errorf("printed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
