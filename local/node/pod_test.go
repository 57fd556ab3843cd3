package node

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/remotecommand"
	utilexec "k8s.io/client-go/util/exec"
)

// script is a pod whose one container runs a shell script.
func script(name, text string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: "main", Image: image, Args: []string{"-c", text}}},
		},
	}
}

// space is a namespace of one test.
type space struct{ name string }

func newSpace(t *testing.T) space {
	t.Helper()
	created, err := client.CoreV1().Namespaces().Create(
		t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "t-"}}, metav1.CreateOptions{},
	)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "service account and authority", func(ctx context.Context) (bool, error) {
		_, account := client.CoreV1().ServiceAccounts(created.Name).Get(ctx, "default", metav1.GetOptions{})
		_, authority := client.CoreV1().ConfigMaps(created.Name).Get(ctx, "kube-root-ca.crt", metav1.GetOptions{})
		return account == nil && authority == nil, nil
	})
	return space{created.Name}
}

// begin creates a pod, which goes with the test.
func (s space) begin(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	if _, err := client.CoreV1().Pods(s.name).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		now := int64(0)
		err := client.CoreV1().Pods(s.name).Delete(
			context.Background(), pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &now},
		)
		if err != nil && !apierrors.IsNotFound(err) {
			t.Error(err)
		}
	})
}

// reach waits until the pod is as wanted, and returns it.
func (s space) reach(t *testing.T, name, what string, wanted func(*corev1.Pod) bool) *corev1.Pod {
	t.Helper()
	var pod *corev1.Pod
	defer func() {
		if t.Failed() && pod != nil {
			t.Logf("the pod is %s: %+v", pod.Status.Phase, pod.Status)
			if pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodRunning {
				t.Logf("its log:\n%s", s.logs(t, name, corev1.PodLogOptions{}))
			}
		}
	}()
	eventually(t, "pod "+name+" "+what, func(ctx context.Context) (bool, error) {
		got, err := client.CoreV1().Pods(s.name).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		pod = got
		return wanted(pod), nil
	})
	return pod
}

func phase(wanted corev1.PodPhase) func(*corev1.Pod) bool {
	return func(pod *corev1.Pod) bool { return pod.Status.Phase == wanted }
}

// logs are what `kubectl logs` prints.
func (s space) logs(t *testing.T, name string, options corev1.PodLogOptions) string {
	t.Helper()
	stream, err := client.CoreV1().Pods(s.name).GetLogs(name, &options).Stream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	text, err := io.ReadAll(stream)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// output runs a pod to its end and returns its log.
func (s space) output(t *testing.T, pod *corev1.Pod) string {
	t.Helper()
	s.begin(t, pod)
	s.reach(t, pod.Name, "succeeds", phase(corev1.PodSucceeded))
	return s.logs(t, pod.Name, corev1.PodLogOptions{})
}

func TestAPodRunsAndItsLogIsRead(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.begin(t, script("runs", "echo hello; echo $LOCAL_POD_ADDRESS; exec sleep 1000"))
	pod := s.reach(t, "runs", "is running", phase(corev1.PodRunning))
	eventually(t, "log", func(context.Context) (bool, error) {
		return s.logs(t, "runs", corev1.PodLogOptions{}) == fmt.Sprintf("hello\n%s\n", pod.Status.PodIP), nil
	})
	if !plane.Network().Contains(pod.Status.PodIP) || pod.Status.PodIP == plane.Network().Server() {
		t.Errorf("its address is %q", pod.Status.PodIP)
	}
}

func TestAnExitCodeIsTheContainers(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.begin(t, script("fails", "exit 3"))
	pod := s.reach(t, "fails", "has failed", phase(corev1.PodFailed))
	if ended := pod.Status.ContainerStatuses[0].State.Terminated; ended == nil || ended.ExitCode != 3 ||
		ended.Reason != "Error" {
		t.Errorf("%+v", ended)
	}
}

func TestVolumesAndEnvironmentAreTheKubelets(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	for _, object := range []error{
		create(client.CoreV1().ConfigMaps(s.name).Create(t.Context(), &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: "c"}, Data: map[string]string{"key": "from-config-map"}},
			metav1.CreateOptions{})),
		create(client.CoreV1().Secrets(s.name).Create(t.Context(), &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: "s"}, StringData: map[string]string{"key": "from-secret"}},
			metav1.CreateOptions{})),
	} {
		if object != nil {
			t.Fatal(object)
		}
	}
	pod := script("volumes", strings.Join([]string{
		"cat /etc/c/key; echo", "cat /etc/s/key; echo", "cat /etc/d/labels; echo", "cat /etc/one; echo",
		"echo from-empty-dir > /data/sub/file; cat /data/sub/file", "echo $OWN", "echo $FROM", "cd /data/sub && ls",
		"test $OWN = $LOCAL_POD_ADDRESS", "grep -q server: $KUBECONFIG && echo kubeconfig",
	}, "\n"))
	pod.Spec.Volumes = []corev1.Volume{
		{
			Name: "c",
			VolumeSource: corev1.VolumeSource{
				ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "c"}},
			},
		},
		{Name: "s", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "s"}}},
		{
			Name:         "e",
			VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory}},
		},
		{Name: "d", VolumeSource: corev1.VolumeSource{DownwardAPI: &corev1.DownwardAPIVolumeSource{Items: []corev1.DownwardAPIVolumeFile{
			{Path: "labels", FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.labels"}}}}}},
	}
	main := &pod.Spec.Containers[0]
	main.VolumeMounts = []corev1.VolumeMount{
		{Name: "c", MountPath: "/etc/c"}, {Name: "s", MountPath: "/etc/s"}, {Name: "d", MountPath: "/etc/d"},
		{Name: "c", MountPath: "/etc/one", SubPath: "key"}, {Name: "e", MountPath: "/data/sub", SubPath: "made"},
	}
	main.Env = []corev1.EnvVar{
		{Name: "OWN", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "status.podIP"}}},
		{Name: "FROM", ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: "c"}, Key: "key"}}},
	}
	text := s.output(t, pod)
	own := s.reach(t, "volumes", "has ended", phase(corev1.PodSucceeded)).Status.PodIP
	want := "from-config-map\nfrom-secret\napp=\"volumes\"\nfrom-config-map\nfrom-empty-dir\n" + own +
		"\nfrom-config-map\nfile\nkubeconfig\n"
	if text != want {
		t.Errorf("got\n%swant\n%s", text, want)
	}
}

func create[T any](_ T, err error) error { return err }

func TestInitContainersRunFirst(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	pod := script("init", "cat /shared/from-init")
	work := []corev1.VolumeMount{{Name: "work", MountPath: "/shared"}}
	pod.Spec.Volumes = []corev1.Volume{
		{Name: "work", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
	}
	pod.Spec.InitContainers = []corev1.Container{
		{Name: "first", Image: image, Args: []string{"-c", "echo made > /shared/from-init"}, VolumeMounts: work},
	}
	pod.Spec.Containers[0].VolumeMounts = work
	if text := s.output(t, pod); text != "made\n" {
		t.Errorf("%q", text)
	}
}

// execute is `kubectl exec`.
func (s space) execute(t *testing.T, name string, command ...string) (string, error) {
	t.Helper()
	url := client.CoreV1().RESTClient().Post().Namespace(s.name).Resource("pods").Name(name).SubResource("exec").
		VersionedParams(&corev1.PodExecOptions{Command: command, Stdout: true, Stderr: true}, scheme.ParameterCodec).URL()
	executor, err := remotecommand.NewWebSocketExecutor(plane.Config(), "GET", url.String())
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = executor.StreamWithContext(t.Context(), remotecommand.StreamOptions{Stdout: &out, Stderr: &out})
	return out.String(), err
}

func TestAReadinessProbeDecides(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	pod := script("probe", "exec sleep 1000")
	pod.Spec.Containers[0].ReadinessProbe = &corev1.Probe{
		PeriodSeconds: 1,
		ProbeHandler:  corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"test", "-e", "/tmp/ready"}}},
	}
	s.begin(t, pod)
	s.reach(t, "probe", "is running and not ready", func(p *corev1.Pod) bool {
		return p.Status.Phase == corev1.PodRunning && !p.Status.ContainerStatuses[0].Ready
	})
	if out, err := s.execute(t, "probe", "sh", "-c", "touch /tmp/ready && echo done"); err != nil || out != "done\n" {
		t.Fatalf("exec: %q, %v", out, err)
	}
	s.reach(t, "probe", "is ready", func(p *corev1.Pod) bool { return p.Status.ContainerStatuses[0].Ready })
}

func TestExecHasTheCommandsExitCode(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.begin(t, script("exec", "exec sleep 1000"))
	s.reach(t, "exec", "is running", phase(corev1.PodRunning))
	_, err := s.execute(t, "exec", "sh", "-c", "exit 7")
	var exit utilexec.CodeExitError
	if !errors.As(err, &exit) || exit.Code != 7 {
		t.Errorf("%v, want exit code 7", err)
	}
}

// firstBackOff is how long the kubelet waits before the second restart of a container; the first one is at once.
const firstBackOff = 10 * time.Second

// Whether the container is shown as Waiting in between depends on whether anything made the kubelet look at the pod
// once more; when it is started again does not.
func TestACrashLoopBacksOff(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	pod := script("loop", "echo again; echo >> /data/runs; [ $(wc -l < /data/runs) = 3 ] || exit 1; sleep 600")
	pod.Spec.Volumes = []corev1.Volume{
		{Name: "work", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
	}
	pod.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "work", MountPath: "/data"}}
	pod.Spec.RestartPolicy = corev1.RestartPolicyAlways
	s.begin(t, pod)
	got := s.reach(t, "loop", "runs for the third time", func(p *corev1.Pod) bool {
		return len(p.Status.ContainerStatuses) == 1 && p.Status.ContainerStatuses[0].RestartCount == 2 &&
			p.Status.ContainerStatuses[0].State.Running != nil
	})
	status := got.Status.ContainerStatuses[0]
	last := status.LastTerminationState.Terminated
	if last == nil || last.ExitCode != 1 {
		t.Fatalf("last ended as %+v", last)
	}
	// both are whole seconds
	if waited := status.State.Running.StartedAt.Sub(last.FinishedAt.Time); waited < firstBackOff-time.Second {
		t.Errorf("it was started again after %s, want %s", waited, firstBackOff)
	}
	// Right after a restart the one before may be gone and the status not yet say so.
	eventually(t, "the log of the previous one", func(context.Context) (bool, error) {
		return s.logs(t, "loop", corev1.PodLogOptions{Previous: true}) == "again\n", nil
	})
}

func TestAnUnknownImageIsAnHonestBackOff(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	pod := script("unknown", "true")
	pod.Spec.Containers[0].Image = "example.com/nothing:9"
	s.begin(t, pod)
	s.reach(t, "unknown", "cannot pull", func(p *corev1.Pod) bool {
		return len(p.Status.ContainerStatuses) == 1 && p.Status.ContainerStatuses[0].State.Waiting != nil &&
			p.Status.ContainerStatuses[0].State.Waiting.Reason == "ImagePullBackOff"
	})
	eventually(t, "the event that says why", func(ctx context.Context) (bool, error) {
		events, err := client.CoreV1().Events(s.name).List(
			ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=unknown"},
		)
		if err != nil {
			return false, err
		}
		for _, event := range events.Items {
			if event.Reason == "Failed" && strings.Contains(
				event.Message, `no distribution stands for image "example.com/nothing:9"`,
			) {
				return true, nil
			}
		}
		return false, nil
	})
}

func TestADeletedPodHasItsGracePeriod(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	for name, row := range map[string]struct {
		text   string
		grace  int64
		log    string
		reason string
	}{
		"polite": {
			"trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.1; done", 3600, "up\nbye\n",
			"It ends by itself on SIGTERM.",
		},
		"stubborn": {"trap '' TERM; echo up; while :; do sleep 0.1; done", 1, "up\n", "It is killed when its time is up."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pod := script(name, row.text)
			pod.Spec.TerminationGracePeriodSeconds = &row.grace
			s.begin(t, pod)
			s.reach(t, name, "is running", phase(corev1.PodRunning))
			stream, err := client.CoreV1().Pods(s.name).GetLogs(name, &corev1.PodLogOptions{Follow: true}).Stream(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer stream.Close()
			log := bufio.NewReader(stream)
			up, err := log.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if err := client.CoreV1().Pods(s.name).Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(log)
			if err != nil {
				t.Fatal(err)
			}
			// What the kubelet says when the container is gone before its log is read to the end follows.
			own, _, _ := strings.Cut(up+string(rest), "rpc error:")
			if own != row.log {
				t.Errorf("its log is %q, want %q: %s", own, row.log, row.reason)
			}
			eventually(t, "it is gone. "+row.reason, func(ctx context.Context) (bool, error) {
				_, err := client.CoreV1().Pods(s.name).Get(ctx, name, metav1.GetOptions{})
				return apierrors.IsNotFound(err), nil
			})
		})
	}
}

func TestFilesOfTheImageAreRewritten(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	if err := create(client.CoreV1().ConfigMaps(s.name).Create(t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "conf"},
		Data:       map[string]string{"app.conf": "dir: file:///data/x\nother: /database\n"}},
		metav1.CreateOptions{})); err != nil {
		t.Fatal(err)
	}
	pod := script("rewritten", "cat $APP_CONF/app.conf; ls /app")
	pod.Spec.Volumes = []corev1.Volume{
		{
			Name: "conf",
			VolumeSource: corev1.VolumeSource{
				ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "conf"}},
			},
		},
		{Name: "data", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/tmp"}}},
	}
	pod.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{
		{Name: "conf", MountPath: "/app/conf"}, {Name: "data", MountPath: "/data"},
	}
	if text, want := s.output(t, pod), "dir: file:///tmp/x\nother: /database\nconf\n"; text != want {
		t.Errorf("got\n%swant\n%s", text, want)
	}
}

func TestAServiceNameLeadsToItsReadyPods(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "svc"},
		Spec: corev1.ServiceSpec{
			Selector: map[string]string{"app": "named"}, Ports: []corev1.ServicePort{{Port: 8081}},
		},
	}
	if err := create(client.CoreV1().Services(s.name).Create(t.Context(), service, metav1.CreateOptions{})); err != nil {
		t.Fatal(err)
	}
	s.begin(
		t,
		script(
			"named",
			"while ! grep -q 'svc.[a-z0-9-]*.svc$' $LOCAL_HOSTS_FILE; do sleep 0.05; done; cat $LOCAL_HOSTS_FILE; exec "+
				"sleep 1000",
		),
	)
	pod := s.reach(t, "named", "is running", phase(corev1.PodRunning))
	eventually(t, "lookup", func(context.Context) (bool, error) {
		found := local.Lookup("svc." + s.name + ".svc.cluster.local.")
		return len(found) == 1 && found[0] == pod.Status.PodIP, nil
	})
	eventually(t, "the pod's own file", func(context.Context) (bool, error) {
		text := s.logs(t, "named", corev1.PodLogOptions{})
		return strings.HasPrefix(text, pod.Status.PodIP+" localhost named ") &&
			strings.Contains(text, pod.Status.PodIP+" svc."+s.name+".svc\n"), nil
	})
}
