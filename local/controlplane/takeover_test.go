package controlplane

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	"github.com/kn-flink/kn-flink/local/testsuite"
	"github.com/kn-flink/kn-flink/pkg/kinds"
)

// script runs one of hack/ against the control plane.
func script(t *testing.T, name string, env ...string) (output string, ok bool) {
	t.Helper()
	// A clean-up runs scripts, too: the context of the test has ended by then.
	command := exec.CommandContext(context.WithoutCancel(t.Context()), "../../hack/"+name)
	command.Env = append(append(os.Environ(), "KUBECONFIG="+plane.Kubeconfig()), env...)
	out, err := command.CombinedOutput()
	return string(out), err == nil
}

// kubectl runs kubectl with a manifest on its input.
func kubectl(t *testing.T, input string, arguments ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "kubectl", arguments...)
	command.Env = append(os.Environ(), "KUBECONFIG="+plane.Kubeconfig())
	command.Stdin = strings.NewReader(input)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(arguments, " "), err, out)
	}
}

// installKinds installs the kinds, and waits until each is served.
func installKinds(t *testing.T) {
	t.Helper()
	kubectl(t, "", "apply", "--server-side", "-f", "../../config/crds")
	client := dynamic.NewForConfigOrDie(plane.Config())
	for _, k := range kinds.All {
		testsuite.Eventually(t, time.Minute, k.Resource.Resource+" are served", func(ctx context.Context) (bool, error) {
			_, err := client.Resource(k.Resource).List(ctx, metav1.ListOptions{})
			return err == nil, nil
		})
	}
}

// cluster is a FlinkDeployment with more in its spec.
func cluster(name, more string) string {
	return `---
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: ` + name + `}
spec:
  image: flink:1.20
  flinkVersion: v1_20
  serviceAccount: flink
  jobManager: {resource: {memory: 1g}}
  taskManager: {resource: {memory: 1g}}
` + more + "\n"
}

// sessionJob is a FlinkSessionJob with the options.
func sessionJob(name, options string) string {
	return `---
apiVersion: flink.apache.org/v1beta1
kind: FlinkSessionJob
metadata: {name: ` + name + `}
spec:
  deploymentName: plain
  job: {jarURI: "https://example.com/j.jar", parallelism: 1}
  flinkConfiguration: {` + options + `}
`
}

// bucketJob is a FlinkSessionJob whose jar is not fetched here.
func bucketJob(name string) string {
	return strings.Replace(sessionJob(name, "a: b"), "https://example.com", "s3://example", 1)
}

// colours is a FlinkBlueGreenDeployment.
const colours = `---
apiVersion: flink.apache.org/v1beta1
kind: FlinkBlueGreenDeployment
metadata: {name: colours}
spec:
  template:
    spec:
      flinkVersion: v1_20
      serviceAccount: flink
      jobManager: {resource: {memory: 1g}}
      taskManager: {resource: {memory: 1g}}
`

// preflight.sh names each resource that would not be run, and no other.
func TestWhatWouldNotBeRunIsListed(t *testing.T) {
	const none = "all are run; no job is restarted"
	if out, _ := script(t, "preflight.sh"); !strings.Contains(out, none) {
		t.Fatalf("a cluster without the kinds has nothing to list: %s", out)
	}
	installKinds(t)
	ns := namespace(t)
	kubectl(
		t,
		cluster("plain", "  flinkConfiguration: {job.autoscaler.enabled: 'false', job.autoscaler.scaling.enabled: 'true'}")+
			sessionJob("sessionjob", "job.autoscaler.enabled: 'false'")+cluster("standing", "  mode: standalone"),
		"apply", "-n", ns, "-f", "-",
	)
	if out, _ := script(t, "preflight.sh"); !strings.Contains(out, none) {
		t.Fatalf("what is run is not listed: %s", out)
	}
	kubectl(t, cluster("flat", "  flinkConfiguration: {job.autoscaler.enabled: 'true'}")+
		cluster("older", "  flinkConfiguration: {a: b, kubernetes.operator.job.autoscaler.enabled: true}")+
		cluster("nested", "  flinkConfiguration: {job: {autoscaler: {metrics.window: 5 m, enabled: true}}}")+
		cluster("scaled", "  flinkConfiguration: {a: b}")+
		sessionJob("scaledjob", "job.autoscaler.enabled: 'true'")+sessionJob("grown", "a: b")+
		bucketJob("bucket")+colours, "apply", "-n", ns, "-f", "-")
	for _, one := range []string{"flinkdeployment/scaled", "flinksessionjob/grown"} {
		kubectl(t, "", "patch", one, "-n", ns, "--subresource=status", "--type=merge", "-p",
			`{"status":{"reconciliationStatus":{"state":"DEPLOYED","reconciliationTimestamp":1,`+
				`"lastReconciledSpec":"{\"spec\":{\"flinkConfiguration\":{\"pipeline.`+
				`jobvertex-parallelism-overrides\":\"a:1\"}}}"}}}`)
	}
	out, _ := script(t, "preflight.sh")
	if !strings.HasPrefix(lineOf(out, "Resources"), "fail ") {
		t.Errorf("it does not stop: %s", out)
	}
	for name, what := range map[string]string{
		"scaled": "autoscaled by a default", "grown": "autoscaled by a default",
		"bucket": "its jar is not fetched from s3",
	} {
		if line := lineOf(out, ns+"/"+name+" "); !strings.Contains(line, what) {
			t.Errorf("%s is listed as %q, want %q", name, line, what)
		}
	}
	run := ""
	for _, name := range []string{"plain", "sessionjob", "standing", "flat", "older", "nested", "scaledjob", "colours"} {
		run += lineOf(out, "/"+name+" ")
	}
	if run != "" || !strings.Contains(out, "GO_ON=1 make deploy") {
		t.Errorf("it says %s", out)
	}
	out, _ = script(t, "preflight.sh", "GO_ON=1")
	if !strings.HasPrefix(lineOf(out, "Resources"), "warn ") || lineOf(out, ns+"/scaled ") == "" {
		t.Errorf("who has read the list goes on: %s", out)
	}
}

func lineOf(text, part string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			return line
		}
	}
	return ""
}
