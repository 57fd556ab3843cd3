package console

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/look"
	"github.com/kn-flink/kn-flink/pkg/view"
	"github.com/kn-flink/kn-flink/pkg/view/pods"
)

const (
	// logLines is how many lines from the end of a log a page has.
	logLines = 500
	// logSize bounds them, in bytes.
	logSize = 1 << 20
)

// Logs is the page of the log of one pod.
type Logs struct {
	metav1.TypeMeta `json:",inline"`
	// Of is the resource, in Namespace.
	Of view.Ref `json:"of"`
	// Namespace is its namespace.
	Namespace string `json:"namespace"`
	// Pods are the pods of which there may be a log.
	Pods []string `json:"pods"`
	// Pod is the one that is shown; empty where there is none.
	Pod string `json:"pod,omitempty"`
	// Previous is whether the log is of the container before the one that runs.
	Previous bool `json:"previous,omitempty"`
	// Lines are the newest last, without secrets.
	Lines []string `json:"lines"`
	// Notes say what there is not.
	Notes []string `json:"notes,omitempty"`
}

func readLogs(ctx context.Context, v *visit) (shown, error) {
	u, err := v.object(ctx)
	if err != nil {
		return shown{}, err
	}
	of := view.FamilyOf(u)
	if of.Cluster == "" {
		return shown{}, &problem{http.StatusNotFound, "There is no log", "A " + u.GetKind() + " has no pods."}
	}
	found := look.Listed[corev1.Pod](ctx, v.Reader, kube.Query{
		Resource: kube.Pods, Namespace: u.GetNamespace(), Labels: "app=" + of.Cluster,
	}, func(*unstructured.Unstructured) bool { return true })
	page := Logs{
		TypeMeta: metav1.TypeMeta{APIVersion: view.Version, Kind: "Logs"}, Of: view.Ref{Kind: u.GetKind(), Name: u.GetName()},
		Namespace: u.GetNamespace(), Pods: []string{}, Lines: []string{}, Notes: v.Unreadable(),
		Previous: v.URL.Query().Get("previous") != "",
	}
	if of.Cluster != u.GetName() {
		page.Notes = append(page.Notes, "These are the pods of session cluster "+of.Cluster+", which may run other jobs.")
	}
	for _, p := range found {
		page.Pods = append(page.Pods, p.Name)
	}
	at := slices.Index(page.Pods, v.URL.Query().Get("pod"))
	if asked := v.URL.Query().Get("pod"); asked != "" && at < 0 {
		page.Notes = append(page.Notes, fmt.Sprintf("Pod %q is gone, or is none of its pods.", asked))
	}
	if len(found) == 0 {
		page.Notes = append(page.Notes, u.GetName()+" has no pods: "+view.RowOf(u).Line())
		return shown{title: "Log of " + u.GetName(), view: page}, nil
	}
	pod := found[max(at, 0)]
	page.Pod = pod.Name
	if page.Lines, err = v.tail(ctx, &pod, page.Previous); err != nil {
		return shown{}, err
	}
	if len(page.Lines) == 0 {
		page.Notes = append(page.Notes, "The log is empty, or no such container ran.")
	}
	secrets := view.SecretsOf(u)
	text := secrets.Text(strings.Join(page.Lines, "\n")) // a secret may have several lines
	if page.Lines = []string{}; text != "" {
		page.Lines = strings.Split(text, "\n")
	}
	return shown{title: "Log of " + page.Pod, view: page}, nil
}

// tail is the end of the log of a pod, at most a megabyte.
func (v *visit) tail(ctx context.Context, pod *corev1.Pod, previous bool) ([]string, error) {
	stream, err := v.Stream(ctx, kube.Log{
		Namespace: pod.Namespace, Pod: pod.Name, Container: pods.MainContainer(pod), Previous: previous, Lines: logLines,
	}, 0, false)
	if apierrors.IsBadRequest(err) { // no container ran yet, or none before
		return []string{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	lines := []string{}
	scanner := bufio.NewScanner(io.LimitReader(stream, logSize))
	scanner.Buffer(nil, logSize)
	for scanner.Scan() {
		at := pods.LogLineOf(pod.Name, scanner.Text())
		lines = append(lines, at.Time+" "+at.Text)
	}
	return lines, scanner.Err()
}
