package runtime

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	remote "k8s.io/cri-client/pkg"
	utilexec "k8s.io/utils/exec"

	"github.com/kn-flink/kn-flink/local/loopback"
	"github.com/kn-flink/kn-flink/local/processes"
)

// shell has one image, which is this machine's shell.
type shell struct{}

func (shell) Find(string) (Image, bool) { return Image{}, false }

func (shell) Pull(_ context.Context, name string) (Image, error) {
	if name != "shell" {
		return Image{}, errors.New("no such image")
	}
	return Image{ID: "shell-id", Names: []string{name}, Entrypoint: []string{"/bin/sh"},
		Cmd: []string{"-c", "echo from the image"},
		Env: []string{"PATH=/image/bin", "A=image", "B=image"}}, nil
}

func start(t *testing.T) *Runtime {
	t.Helper()
	network, err := loopback.Reserve("")
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(Options{
		Dir: filepath.Join(t.TempDir(), "runtime"), Network: network, Images: shell{}, Env: []string{"C=node"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(r.Close(), network.Close()); err != nil {
			t.Error(err)
		}
		if left := processes.Of(r.options.Dir); len(left) > 0 {
			t.Errorf("processes are left: %v", left)
		}
	})
	return r
}

func sandboxOf(t *testing.T, r *Runtime, name string) string {
	t.Helper()
	id, err := r.RunPodSandbox(t.Context(), &runtimeapi.PodSandboxConfig{
		Metadata: &runtimeapi.PodSandboxMetadata{Name: name, Namespace: "default"}, Hostname: name,
		LogDirectory: t.TempDir(), Labels: map[string]string{"pod": name},
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// begin starts a container.
func begin(t *testing.T, r *Runtime, sandbox string, config *runtimeapi.ContainerConfig) string {
	t.Helper()
	id := prepare(t, r, sandbox, config)
	if err := r.StartContainer(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	return id
}

// prepare pulls the image and makes a container.
func prepare(t *testing.T, r *Runtime, sandbox string, config *runtimeapi.ContainerConfig) string {
	t.Helper()
	ref, err := r.PullImage(t.Context(), &runtimeapi.ImageSpec{Image: "shell"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	config.Image = &runtimeapi.ImageSpec{Image: ref, UserSpecifiedImage: "shell"}
	config.Metadata, config.LogPath = &runtimeapi.ContainerMetadata{Name: "main"}, "0.log"
	id, err := r.CreateContainer(t.Context(), sandbox, config, nil)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func script(text string) *runtimeapi.ContainerConfig {
	return &runtimeapi.ContainerConfig{Args: []string{"-c", text}}
}

// ended waits for the end of a container and returns its status.
func ended(t *testing.T, r *Runtime, id string) *runtimeapi.ContainerStatus {
	t.Helper()
	c, err := r.container(id)
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-c.process.done:
	case <-time.After(time.Minute):
		t.Fatal("it does not end")
	}
	return c.status()
}

// logged waits until a container's log has the text.
func logged(t *testing.T, r *Runtime, id, text string) {
	t.Helper()
	c, err := r.container(id)
	if err != nil {
		t.Fatal(err)
	}
	deadline, tick := time.After(time.Minute), time.NewTicker(5*time.Millisecond)
	defer tick.Stop()
	for {
		content, err := os.ReadFile(c.logPath)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if strings.Contains(string(content), text) {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("the log has no %q:\n%s", text, content)
		}
	}
}

func TestAContainerIsAProcess(t *testing.T) {
	t.Setenv("PATH", "/usr/bin:/bin") // a folder of /tmp in it would be the container's own
	r := start(t)
	pod := sandboxOf(t, r, "one")
	config := script("echo out; echo err >&2; echo $A $B $C $D $PATH; exit 4")
	config.Envs = []*runtimeapi.KeyValue{
		{Key: "B", Value: "container"}, {Key: "C", Value: "container"}, {Key: "D", Value: "container"},
	}
	id := begin(t, r, pod, config)
	status := ended(t, r, id)
	if status.State != runtimeapi.ContainerState_CONTAINER_EXITED || status.ExitCode != 4 || status.Reason != "Error" ||
		status.FinishedAt < status.StartedAt {
		t.Errorf("%+v", status)
	}
	logged(t, r, id, " stdout F out\n")
	logged(t, r, id, " stderr F err\n")
	logged(t, r, id, " stdout F image container node container /image/bin:"+os.Getenv("PATH")+"\n")
}

func TestCommandAndArgsReplaceTheImages(t *testing.T) {
	for name, row := range map[string]struct {
		command, args []string
		text          string
	}{
		"neither": {nil, nil, "from the image"},
		"args":    {nil, []string{"-c", "echo args"}, "args"},
		"command": {[]string{"/bin/echo"}, nil, "stdout F \n"},
		"both":    {[]string{"echo"}, []string{"both"}, "both"},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			id := begin(t, r, sandboxOf(t, r, "pod"), &runtimeapi.ContainerConfig{Command: row.command, Args: row.args})
			ended(t, r, id)
			logged(t, r, id, row.text)
		})
	}
}

func TestACommandThatIsNotThereFailsTheStart(t *testing.T) {
	r := start(t)
	pod := sandboxOf(t, r, "pod")
	ref, err := r.PullImage(t.Context(), &runtimeapi.ImageSpec{Image: "shell"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	id, err := r.CreateContainer(t.Context(), pod, &runtimeapi.ContainerConfig{
		Metadata: &runtimeapi.ContainerMetadata{Name: "main"}, Image: &runtimeapi.ImageSpec{Image: ref},
		Command: []string{"no-such-command"}, LogPath: "0.log"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.StartContainer(t.Context(), id); err == nil ||
		!strings.Contains(err.Error(), "executable file not found in $PATH") {
		t.Errorf("%v", err)
	}
}

func TestAWorkingDirectoryHasToBeThere(t *testing.T) {
	r := start(t)
	pod := sandboxOf(t, r, "pod")
	ref, err := r.PullImage(t.Context(), &runtimeapi.ImageSpec{Image: "shell"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.CreateContainer(t.Context(), pod, &runtimeapi.ContainerConfig{
		Metadata: &runtimeapi.ContainerMetadata{Name: "main"}, Image: &runtimeapi.ImageSpec{Image: ref},
		WorkingDir: "/no/such/place"}, nil)
	if err == nil || !strings.Contains(err.Error(), `"/no/such/place" is neither in the image nor mounted`) {
		t.Errorf("%v", err)
	}
}

func TestAnUnknownImageIsAbsent(t *testing.T) {
	r := start(t)
	answer, err := r.ImageStatus(t.Context(), &runtimeapi.ImageSpec{Image: "other"}, false)
	if err != nil || answer.Image != nil {
		t.Errorf("%v, %v", answer, err)
	}
	if _, err := r.PullImage(t.Context(), &runtimeapi.ImageSpec{Image: "other"}, nil, nil); err == nil ||
		err.Error() != "no such image" {
		t.Errorf("%v", err)
	}
}

func TestStopGivesTheProcessItsTime(t *testing.T) {
	r := start(t)
	polite := begin(t, r, sandboxOf(t, r, "polite"), script("trap 'exit 5' TERM; echo up; while :; do sleep 0.01; done"))
	logged(t, r, polite, "up")
	if err := r.StopContainer(t.Context(), polite, 60); err != nil {
		t.Fatal(err)
	}
	if status := ended(t, r, polite); status.ExitCode != 5 {
		t.Errorf("the polite one ends with %d", status.ExitCode)
	}
	stubborn := begin(t, r, sandboxOf(t, r, "stubborn"), script("trap '' TERM; echo up; while :; do sleep 0.01; done"))
	logged(t, r, stubborn, "up")
	if err := r.StopContainer(t.Context(), stubborn, 0); err != nil {
		t.Fatal(err)
	}
	if status := ended(t, r, stubborn); status.ExitCode != 128+9 {
		t.Errorf("the stubborn one ends with %d", status.ExitCode)
	}
}

func TestDescendantsEndWithTheContainer(t *testing.T) {
	r := start(t)
	// setsid leaves the process group; the mark in its environment stays.
	id := begin(
		t, r, sandboxOf(t, r, "pod"), script("setsid sh -c 'echo daemon; exec sleep 1000' & sleep 1000 & echo up; wait"),
	)
	logged(t, r, id, "daemon")
	logged(t, r, id, "up")
	if err := r.StopPodSandbox(t.Context(), r.containers[id].sandbox.id); err != nil {
		t.Fatal(err)
	}
	ended(t, r, id)
	deadline, tick := time.After(time.Minute), time.NewTicker(5*time.Millisecond)
	defer tick.Stop()
	for len(processes.Of(r.options.Dir)) > 0 {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("processes are left: %v", processes.Of(r.options.Dir))
		}
	}
}

func TestExecSyncTellsTheProbesWhatTheyAsk(t *testing.T) {
	r := start(t)
	id := begin(t, r, sandboxOf(t, r, "pod"), script("exec sleep 1000"))
	out, _, err := r.ExecSync(t.Context(), id, []string{"sh", "-c", "echo $C"}, time.Minute)
	if err != nil || string(out) != "node\n" {
		t.Errorf("%q, %v", out, err)
	}
	_, errs, err := r.ExecSync(t.Context(), id, []string{"sh", "-c", "echo no >&2; exit 9"}, time.Minute)
	var exit utilexec.ExitError
	if !errors.As(err, &exit) || exit.ExitStatus() != 9 || string(errs) != "no\n" {
		t.Errorf("%q, %v", errs, err)
	}
	if _, _, err := r.ExecSync(
		t.Context(), id, []string{"sleep", "1000"}, time.Millisecond,
	); !errors.Is(err, remote.ErrCommandTimedOut) {
		t.Errorf("%v", err)
	}
}

func TestExecHasItsInput(t *testing.T) {
	r := start(t)
	id := begin(t, r, sandboxOf(t, r, "pod"), script("exec sleep 1000"))
	var out bytes.Buffer
	code, err := r.execute(t.Context(), id, []string{"cat"}, strings.NewReader("typed"), &out, nil)
	if err != nil || code != 0 || out.String() != "typed" {
		t.Errorf("%q, %d, %v", out.String(), code, err)
	}
}

func TestEveryPodHasAnAddressOfItsOwn(t *testing.T) {
	r := start(t)
	seen := map[string]bool{}
	for range 5 {
		id := sandboxOf(t, r, "pod")
		answer, err := r.PodSandboxStatus(t.Context(), id, false)
		if err != nil {
			t.Fatal(err)
		}
		address := answer.Status.Network.Ip
		if seen[address] || !r.options.Network.Contains(address) {
			t.Errorf("address %q", address)
		}
		seen[address] = true
		if err := r.RemovePodSandbox(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNamesReachEveryPod(t *testing.T) {
	r := start(t)
	before := r.sandboxes[sandboxOf(t, r, "before")]
	if err := r.SetNames("127.9.1.1 other.svc\n"); err != nil {
		t.Fatal(err)
	}
	after := r.sandboxes[sandboxOf(t, r, "after")]
	for _, s := range []*sandbox{before, after} {
		content, err := os.ReadFile(s.hosts())
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(content), s.address+" localhost ") ||
			!strings.HasSuffix(string(content), "\n127.9.1.1 other.svc\n") {
			t.Errorf("%s has\n%s", s.config.Hostname, content)
		}
	}
}

func TestLongLinesAreCut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	log, err := openLogFile(path)
	if err != nil {
		t.Fatal(err)
	}
	log.copy("stdout", strings.NewReader(strings.Repeat("x", chunk+1)+"\nshort\nno end"))
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	if err := log.reopen(); err != nil {
		t.Fatal(err)
	}
	log.copy("stderr", strings.NewReader("new\n"))
	log.close()
	shapes := regexp.MustCompile(`(?m)^\S+ (stdout|stderr) ([FP]) .*$`)
	var got []string
	for _, file := range []string{path + ".1", path} {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range shapes.FindAllStringSubmatch(string(content), -1) {
			got = append(got, line[1]+line[2])
		}
	}
	if want := "stdoutP stdoutF stdoutF stdoutF stderrF"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}

func TestANewRuntimeEndsWhatAnOldOneLeft(t *testing.T) {
	r := start(t)
	id := begin(t, r, sandboxOf(t, r, "pod"), script("exec sleep 1000"))
	old, err := r.container(id)
	if err != nil {
		t.Fatal(err)
	}
	next, err := New(r.options)
	if err != nil {
		t.Fatal(err)
	}
	if status := ended(t, r, id); status.ExitCode != 128+9 {
		t.Errorf("it ended with %d", status.ExitCode)
	}
	if _, err := os.Stat(old.dir); !os.IsNotExist(err) {
		t.Errorf("its directory is still there: %v", err)
	}
	if err := next.Close(); err != nil {
		t.Error(err)
	}
}

// The kubelet goes on while its runtime closes: what it has made it starts.
func TestAClosedRuntimeStartsNothing(t *testing.T) {
	r := start(t)
	pod := sandboxOf(t, r, "pod")
	made := prepare(t, r, pod, script("exec sleep 1000"))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.RunPodSandbox(t.Context(), &runtimeapi.PodSandboxConfig{}, ""); err == nil {
		t.Error("it runs a pod")
	}
	if _, err := r.CreateContainer(t.Context(), pod, &runtimeapi.ContainerConfig{}, nil); err == nil {
		t.Error("it makes a container")
	}
	if err := r.StartContainer(t.Context(), made); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("it starts one that was made: %v", err)
	}
}
