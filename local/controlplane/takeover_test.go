package controlplane

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/kn-flink/kn-flink/local/testsuite"
)

// script runs one of hack/ against the control plane.
func script(t *testing.T, name string, env ...string) (output string, ok bool) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "../../hack/"+name)
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

// installKinds installs the four kinds, and waits until each is served.
func installKinds(t *testing.T) {
	t.Helper()
	kubectl(t, "", "apply", "--server-side", "-f", "../../config/crds")
	kinds := dynamic.NewForConfigOrDie(plane.Config())
	for _, kind := range []string{
		"flinkdeployments", "flinksessionjobs", "flinkstatesnapshots", "flinkbluegreendeployments",
	} {
		gvr := schema.GroupVersionResource{Group: "flink.apache.org", Version: "v1beta1", Resource: kind}
		testsuite.Eventually(t, time.Minute, kind+" are served", func(ctx context.Context) (bool, error) {
			_, err := kinds.Resource(gvr).List(ctx, metav1.ListOptions{})
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

const colours = `---
apiVersion: flink.apache.org/v1beta1
kind: FlinkBlueGreenDeployment
metadata: {name: colours}
spec: {template: {spec: {flinkVersion: v1_20, serviceAccount: flink, jobManager: {resource: {memory: 1g}}, taskManager: {resource: {memory: 1g}}}}}
`

// The script that make deploy asks first names each resource that would not be run, and no other.
func TestWhatWouldNotBeRunIsListed(t *testing.T) {
	if out, ok := script(t, "takeover.sh"); !ok || out != "" {
		t.Fatalf("a cluster without the kinds has nothing to list: %t %q", ok, out)
	}
	installKinds(t)
	ns := namespace(t)
	kubectl(
		t,
		cluster("plain", "  flinkConfiguration: {job.autoscaler.enabled: 'false', job.autoscaler.scaling.enabled: 'true'}")+
			sessionJob("sessionjob", "job.autoscaler.enabled: 'false'")+cluster("standing", "  mode: standalone"),
		"apply", "-n", ns, "-f", "-",
	)
	if out, ok := script(t, "takeover.sh"); !ok || out != "" {
		t.Fatalf("what is run is not listed: %t %q", ok, out)
	}
	kubectl(t, cluster("flat", "  flinkConfiguration: {job.autoscaler.enabled: 'true'}")+
		cluster("older", "  flinkConfiguration: {a: b, kubernetes.operator.job.autoscaler.enabled: true}")+
		cluster("nested", "  flinkConfiguration: {job: {autoscaler: {metrics.window: 5 m, enabled: true}}}")+
		cluster("scaled", "  flinkConfiguration: {a: b}")+
		sessionJob("scaledjob", "job.autoscaler.enabled: 'true'")+sessionJob("grown", "a: b")+
		strings.Replace(sessionJob("bucket", "a: b"), "https://example.com", "s3://example", 1)+
		colours, "apply", "-n", ns, "-f", "-")
	for _, one := range []string{"flinkdeployment/scaled", "flinksessionjob/grown"} {
		kubectl(t, "", "patch", one, "-n", ns, "--subresource=status", "--type=merge", "-p",
			`{"status":{"reconciliationStatus":{"state":"DEPLOYED","reconciliationTimestamp":1,`+
				`"lastReconciledSpec":"{\"spec\":{\"flinkConfiguration\":{\"pipeline.`+
				`jobvertex-parallelism-overrides\":\"a:1\"}}}"}}}`)
	}
	out, ok := script(t, "takeover.sh")
	if ok {
		t.Error("it does not stop")
	}
	for name, what := range map[string]string{
		"scaled": "autoscaled by a default", "grown": "autoscaled by a default", "colours": "not run",
		"bucket": "its jar is not fetched from s3",
	} {
		if line := lineOf(out, ns+"/"+name+" "); !strings.Contains(line, what) {
			t.Errorf("%s is listed as %q, want %q", name, line, what)
		}
	}
	run := ""
	for _, name := range []string{"plain", "sessionjob", "standing", "flat", "older", "nested", "scaledjob"} {
		run += lineOf(out, "/"+name+" ")
	}
	if run != "" || !strings.Contains(out, "GO_ON=1 make deploy") {
		t.Errorf("it says %s", out)
	}
	if out, ok := script(t, "takeover.sh", "GO_ON=1"); !ok || lineOf(out, ns+"/scaled ") == "" {
		t.Errorf("who has read the list goes on: %t %s", ok, out)
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
