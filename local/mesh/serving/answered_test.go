package serving

import (
	"net"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A pod without a readiness probe is Ready before its program listens, and then the API server has nothing more to say
// of it.
func TestAPodThatAnswersLateIsToldOf(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().(*net.TCPAddr)
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	f, told := newFunction("default", "late"), make(chan struct{}, 1)
	f.answered = func() { told <- struct{}{} }
	f.setPod(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "late-1", UID: "1", Labels: map[string]string{labelRevision: "late-00001"}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, PodIP: address.IP.String(),
			ContainerStatuses: []corev1.ContainerStatus{{
				Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}},
			}}},
	}, address.Port)
	if f.isAnswering("late-00001") {
		t.Fatal("nobody listens, and it answers")
	}
	listener, err := net.Listen("tcp", address.String())
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	select {
	case <-told:
	case <-time.After(time.Minute):
		t.Fatal("nobody was told")
	}
	if !f.isAnswering("late-00001") {
		t.Error("it answers, and does not count")
	}
}
