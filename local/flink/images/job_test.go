package images

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/render"
	"github.com/kn-flink/kn-flink/test/life"
)

const namespace = "jobs"

var deployments = v1beta1.GroupVersion.WithResource("flinkdeployments")

// apply creates the objects of a YAML text, and leaves those that are there.
func apply(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	var last *unstructured.Unstructured
	for _, document := range strings.Split(text, "\n---\n") {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &object.Object); err != nil {
			t.Fatal(err)
		}
		last = create(t, object)
	}
	return last
}

func create(t *testing.T, object *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	var mapping *meta.RESTMapping
	eventually(t, "the API server knows "+object.GetKind(), func(context.Context) (bool, error) {
		groups, err := restmapper.GetAPIGroupResources(discovery.NewDiscoveryClientForConfigOrDie(plane.Config()))
		if err != nil {
			return false, err
		}
		gvk := object.GroupVersionKind()
		mapping, err = restmapper.NewDiscoveryRESTMapper(groups).RESTMapping(gvk.GroupKind(), gvk.Version)
		return err == nil, nil
	})
	client := dynamicClient().Resource(mapping.Resource)
	scoped := client.Namespace(object.GetNamespace())
	created, err := scoped.Create(t.Context(), object, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		created, err = scoped.Get(t.Context(), object.GetName(), metav1.GetOptions{})
	}
	if err != nil {
		t.Fatalf("%s %s: %v", object.GetKind(), object.GetName(), err)
	}
	return created
}

func file(t *testing.T, path ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(append([]string{"../../.."}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// tenant installs the CRDs and what a namespace needs for jobs, as `make deploy` and `make tenant` do.
func tenant(t *testing.T) {
	t.Helper()
	apply(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: "+namespace+"}")
	apply(t, file(t, "config/crds/flink.apache.org_flinkdeployments.yaml"))
	apply(t, file(t, "config/knative/040-role-flink.yaml"))
	apply(t, strings.ReplaceAll(file(t, "config/tenant/tenant.yaml"), "${NAMESPACE}", namespace))
}

// launch creates a FlinkDeployment and what the renderer makes of it.
func launch(t *testing.T, text string) *v1beta1.FlinkDeployment {
	t.Helper()
	stored := apply(t, text)
	cr := &v1beta1.FlinkDeployment{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(stored.Object, cr); err != nil {
		t.Fatal(err)
	}
	deployed, err := flinkconf.Deploy(flinkconf.DeployInput{
		Namespace: cr.Namespace, Name: cr.Name, UID: string(cr.UID), Generation: cr.Generation, Spec: &cr.Spec,
		Start: flinkconf.Start{JobID: "5f1c9c0e6b2a4d7f8e3b1a2c3d4e5f60", JobResultStoreDir: "one"},
	})
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := render.MakeCluster(render.Input{
		Namespace: cr.Namespace, Name: cr.Name, UID: cr.UID, Spec: cr.Spec, Config: deployed, Operation: "test",
		LogFiles: map[string]string{"log4j-console.properties": file(t, "local/flink/home/log4j-console.properties")},
	})
	if err != nil {
		t.Fatal(err)
	}
	client := kubernetes.NewForConfigOrDie(plane.Config())
	deployment, err := client.AppsV1().Deployments(cr.Namespace).Create(
		t.Context(), cluster.JobManager, metav1.CreateOptions{},
	)
	if err != nil {
		t.Fatal(err)
	}
	cluster = cluster.OwnedBy(deployment.UID)
	for _, service := range cluster.Services {
		if _, err := client.CoreV1().Services(cr.Namespace).Create(
			t.Context(), service, metav1.CreateOptions{},
		); err != nil {
			t.Fatal(err)
		}
	}
	for _, configMap := range cluster.ConfigMaps {
		if _, err := client.CoreV1().ConfigMaps(cr.Namespace).Create(
			t.Context(), configMap, metav1.CreateOptions{},
		); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if t.Failed() {
			describe(t, client, cr.Name)
		}
	})
	return cr
}

// describe logs what the pods of a cluster say.
func describe(t *testing.T, client kubernetes.Interface, name string) {
	pods, err := client.CoreV1().Pods(namespace).List(
		context.Background(), metav1.ListOptions{LabelSelector: "app=" + name},
	)
	if err != nil {
		t.Log(err)
		return
	}
	lines := int64(60)
	for _, pod := range pods.Items {
		log, err := client.CoreV1().Pods(namespace).GetLogs(
			pod.Name, &corev1.PodLogOptions{TailLines: &lines},
		).DoRaw(context.Background())
		t.Logf("%s is %s %+v\n%s%v", pod.Name, pod.Status.Phase, pod.Status.ContainerStatuses, log, err)
	}
}

// rest asks a cluster's REST API, by the name of its Service.
func rest(ctx context.Context, cr *v1beta1.FlinkDeployment, path string, answer any) error {
	client := http.Client{
		Timeout: 5 * time.Second, Transport: &http.Transport{DialContext: local.DialContext, DisableKeepAlives: true},
	}
	return life.At(&client, "http://"+cr.Name+"-rest."+cr.Namespace+".svc:8081")(ctx, path, answer)
}

// running waits until all tasks of the job run.
func running(t *testing.T, cr *v1beta1.FlinkDeployment) {
	t.Helper()
	eventually(t, cr.Name+" runs", func(ctx context.Context) (bool, error) {
		var overview struct {
			Jobs []struct {
				State string
				Tasks struct{ Total, Running int }
			}
		}
		if rest(ctx, cr, "/jobs/overview", &overview) != nil || len(overview.Jobs) != 1 {
			return false, nil
		}
		job := overview.Jobs[0]
		return job.State == "RUNNING" && job.Tasks.Total > 0 && job.Tasks.Running == job.Tasks.Total, nil
	})
}

// stop deletes the cluster and waits until its pods are gone.
func stop(t *testing.T, cr *v1beta1.FlinkDeployment) {
	t.Helper()
	client := kubernetes.NewForConfigOrDie(plane.Config())
	background := metav1.DeletePropagationBackground
	if err := client.AppsV1().Deployments(cr.Namespace).Delete(
		t.Context(), cr.Name, metav1.DeleteOptions{PropagationPolicy: &background},
	); err != nil {
		t.Fatal(err)
	}
	if err := dynamicClient().Resource(deployments).Namespace(cr.Namespace).Delete(
		t.Context(), cr.Name, metav1.DeleteOptions{},
	); err != nil {
		t.Fatal(err)
	}
	ours := metav1.ListOptions{LabelSelector: "app=" + cr.Name}
	eventually(t, "the pods are gone", func(ctx context.Context) (bool, error) {
		pods, err := client.CoreV1().Pods(cr.Namespace).List(ctx, ours)
		return err == nil && len(pods.Items) == 0, err
	})
	// High-availability data is nobody's.
	if err := client.CoreV1().ConfigMaps(cr.Namespace).DeleteCollection(
		t.Context(), metav1.DeleteOptions{}, ours,
	); err != nil {
		t.Fatal(err)
	}
	eventually(t, "all of it is gone", func(ctx context.Context) (bool, error) {
		services, err := client.CoreV1().Services(cr.Namespace).List(ctx, ours)
		return err == nil && len(services.Items) == 0, err
	})
}

func TestTheSmallestExampleRuns(t *testing.T) {
	t.Parallel()
	tenant(t)
	begun := time.Now()
	cr := launch(
		t, strings.Replace(file(t, "examples/basic.yaml"), "name: basic", "name: basic\n  namespace: "+namespace, 1),
	)
	running(t, cr)
	t.Logf("running after %s", time.Since(begun))
	client := kubernetes.NewForConfigOrDie(plane.Config())
	pods, err := client.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "app=basic"})
	if err != nil || len(pods.Items) != 2 {
		t.Fatalf("%d pods, %v", len(pods.Items), err)
	}
	for _, pod := range pods.Items {
		log, err := client.CoreV1().Pods(namespace).GetLogs(pod.Name, &corev1.PodLogOptions{}).DoRaw(t.Context())
		if err != nil || !strings.Contains(string(log), " INFO  org.apache.flink.runtime.") {
			t.Errorf("%s does not log as its configuration says: %v\n%.2000s", pod.Name, err, log)
		}
	}
	stop(t, cr)
}

// highlyAvailable is a job whose pods share a directory, by a pod template.
const highlyAvailable = `apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: ha, namespace: jobs}
spec:
  image: flink:1.20
  flinkVersion: v1_20
  serviceAccount: flink
  flinkConfiguration:
    taskmanager.numberOfTaskSlots: "2"
    high-availability.type: kubernetes
    high-availability.storageDir: file:///flink-data/ha
    state.checkpoints.dir: file:///flink-data/checkpoints
    execution.checkpointing.interval: 2 s
  podTemplate:
    spec:
      containers:
      - name: flink-main-container
        volumeMounts: [{name: data, mountPath: /flink-data}]
      volumes:
      - name: data
        hostPath: {path: DATA}
  jobManager: {resource: {memory: 1024m, cpu: 0.5}}
  taskManager: {resource: {memory: 1024m, cpu: 0.5}}
  job:
    jarURI: local:///opt/flink/examples/streaming/StateMachineExample.jar
    parallelism: 2
    upgradeMode: last-state
`

// checkpoints are what Flink says of a job's.
type checkpoints struct {
	Counts struct{ Completed, Restored int }
	Latest struct {
		Completed struct {
			ExternalPath string `json:"external_path"`
		}
	}
}

// killed ends the JVM of a cluster's JobManager as a crash would, and says how many there were.
func killed(t *testing.T, name string) int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		command, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "cmdline")) // it may have ended
		environ, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "environ"))
		if bytes.Contains(command, []byte("KubernetesApplicationClusterEntrypoint")) &&
			bytes.Contains(environ, []byte(plane.Dir()+"/")) &&
			bytes.Contains(environ, []byte("HOSTNAME="+name+"-")) {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			found++
		}
	}
	return found
}

func TestAJobSurvivesTheCrashOfItsJobManager(t *testing.T) {
	t.Parallel()
	tenant(t)
	data := t.TempDir()
	cr := launch(t, strings.ReplaceAll(highlyAvailable, "DATA", data))
	running(t, cr)
	client := kubernetes.NewForConfigOrDie(plane.Config())
	pods, err := client.CoreV1().Pods(namespace).List(
		t.Context(), metav1.ListOptions{LabelSelector: "app=ha,component=taskmanager"},
	)
	if err != nil || len(pods.Items) != 1 {
		t.Fatalf("%d TaskManagers, %v", len(pods.Items), err)
	}
	if mounts := pods.Items[0].Spec.Containers[0].VolumeMounts; !slices.ContainsFunc(mounts,
		func(m corev1.VolumeMount) bool {
			return m.MountPath == "/flink-data"
		}) {
		t.Errorf("the JobManager did not read its TaskManagers' pod template: mounts %+v", mounts)
	}
	path := "/jobs/5f1c9c0e6b2a4d7f8e3b1a2c3d4e5f60/checkpoints"
	eventually(t, "a checkpoint", func(ctx context.Context) (bool, error) {
		var now checkpoints
		if rest(ctx, cr, path, &now) != nil || now.Counts.Completed == 0 {
			return false, nil
		}
		if !strings.HasPrefix(now.Latest.Completed.ExternalPath, "file:"+data+"/checkpoints/") {
			t.Errorf("it is in %s", now.Latest.Completed.ExternalPath)
		}
		return true, nil
	})
	if found := killed(t, "ha"); found != 1 {
		t.Fatalf("%d JobManagers", found)
	}
	eventually(t, "the job is restored", func(ctx context.Context) (bool, error) {
		var now checkpoints
		return rest(ctx, cr, path, &now) == nil && now.Counts.Restored > 0 && now.Counts.Completed > 0, nil
	})
	running(t, cr)
	pods, err = client.CoreV1().Pods(namespace).List(
		t.Context(), metav1.ListOptions{LabelSelector: "app=ha,component=jobmanager"},
	)
	if err != nil || len(pods.Items) != 1 || pods.Items[0].Status.ContainerStatuses[0].RestartCount != 1 {
		t.Errorf("the pod was not restarted in place: %+v, %v", pods.Items, err)
	}
	stop(t, cr)
}

func TestASessionClusterHasItsWebPage(t *testing.T) {
	t.Parallel()
	tenant(t)
	cr := launch(
		t, strings.Replace(file(t, "examples/session.yaml"), "name: session", "name: session\n  namespace: "+namespace, 1),
	)
	eventually(t, "the cluster answers", func(ctx context.Context) (bool, error) {
		var overview struct {
			Version string `json:"flink-version"`
		}
		return rest(ctx, cr, "/overview", &overview) == nil && overview.Version == "1.20.5", nil
	})
	client := http.Client{Transport: &http.Transport{DialContext: local.DialContext, DisableKeepAlives: true}}
	answer, err := client.Get("http://session-rest." + namespace + ".svc:8081/")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	if err != nil || !strings.Contains(string(page), "<title>Apache Flink Web Dashboard</title>") {
		t.Errorf("its page is %.200q, %v", page, err)
	}
	stop(t, cr)
}
