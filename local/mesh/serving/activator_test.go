package serving

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// server is a pod's process, and what the API server says of the pod.
func server(t *testing.T, name string, handler http.HandlerFunc) (*corev1.Pod, int) {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	host, text, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{labelRevision: "f-00001"}},
		Status: corev1.PodStatus{
			PodIP: host, Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{State: running}},
		},
	}, port
}

// asleep is a function with a ready revision and no pods. Its wishes for a scale come out of the channel.
func asleep(timeout time.Duration, concurrency int) (*function, chan int) {
	f, wishes := newFunction("n", "f"), make(chan int, 10)
	f.scale = func(_ string, n int) { wishes <- n }
	f.serve(
		"f-00001", settings{timeout: timeout, concurrency: concurrency, scale: Bounds{Target: 1, Window: 6 * time.Second}},
		0,
	)
	return f, wishes
}

func post(ctx context.Context, f *function) int {
	w := httptest.NewRecorder()
	f.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodPost, "/", nil))
	return w.Code
}

func TestARequestWaitsForItsPod(t *testing.T) {
	f, wishes := asleep(time.Minute, 0)
	code := make(chan int)
	go func() { code <- post(t.Context(), f) }()
	if n := <-wishes; n != 1 {
		t.Errorf("%d pods wanted for a request at zero, want 1", n)
	}
	pod, port := server(t, "one", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	f.setPod(pod, port)
	if got := <-code; got != http.StatusTeapot {
		t.Errorf("%d, want the pod's answer", got)
	}
	if s := f.state(); s.Served != 1 || s.InFlight != 0 || s.Pods != 1 {
		t.Errorf("%+v", s)
	}
}

func TestNoPodInTime(t *testing.T) {
	f, _ := asleep(time.Millisecond, 0)
	if got := post(t.Context(), f); got != http.StatusGatewayTimeout {
		t.Errorf("%d, want 504: waiting for a pod counts", got)
	}
	if got := post(t.Context(), newFunction("n", "new")); got != http.StatusNotFound {
		t.Errorf("%d before the first revision is ready, want 404", got)
	}
}

func TestAPodOfTheLastTimeGetsNothing(t *testing.T) {
	f, _ := asleep(50*time.Millisecond, 0)
	pod, port := server(t, "old", func(http.ResponseWriter, *http.Request) { t.Error("another's address was asked") })
	pod.Status.ContainerStatuses[0].State.Running.StartedAt = metav1.NewTime(begun.Add(-time.Hour))
	f.setPod(pod, port)
	if got := post(t.Context(), f); got != http.StatusGatewayTimeout {
		t.Errorf("%d, want the request to wait", got)
	}
}

func TestNoMoreAtOnceThanAPodTakes(t *testing.T) {
	f, _ := asleep(time.Minute, 2)
	var mu sync.Mutex
	now, most := 0, 0
	pod, port := server(t, "one", func(http.ResponseWriter, *http.Request) {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		mu.Lock()
		now--
		mu.Unlock()
	})
	f.setPod(pod, port)
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if got := post(t.Context(), f); got != http.StatusOK {
				t.Errorf("%d", got)
			}
		})
	}
	all.Wait()
	if most > 2 {
		t.Errorf("%d requests at once, want at most 2", most)
	}
}
