package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/look"
	"github.com/kn-flink/kn-flink/pkg/redact"
	"github.com/kn-flink/kn-flink/pkg/view"
	"github.com/kn-flink/kn-flink/pkg/view/pods"
)

// logging is what the flags of logs say.
type logging struct {
	follow, previous bool

	since     time.Duration
	tail      int
	component string
	// about is what each line has to have; empty is nothing.
	about string
}

// longestLine bounds one line of a log, in bytes.
const longestLine = 1 << 20

func (p *program) logs() command {
	var l logging
	return command{
		use: "logs NAME", group: "look", kinds: runKinds, args: cobra.ExactArgs(1),
		short:   "The logs of its JobManager and TaskManagers, merged",
		rights:  []string{"list of pods", "get of pods/log"},
		example: "  kn flink logs orders -f\n  kn flink logs orders --component=taskmanager --previous",
		flags: func(f *pflag.FlagSet) {
			f.BoolVarP(&l.follow, "follow", "f", false, "show new lines until the pods end")
			f.BoolVar(&l.previous, "previous", false, "of the containers before the ones that run")
			f.DurationVar(&l.since, "since", 0, "of this last time; 0 is all")
			f.IntVar(&l.tail, "tail", 500, "lines of each pod from the end; 0 is all")
			f.StringVar(&l.component, "component", "", "jobmanager or taskmanager, both by default; or operator: "+
				"what function reconcile says of it")
		},
		run: func(ctx context.Context, args []string) error { return p.runLogs(ctx, args[0], l) },
	}
}

func (p *program) runLogs(ctx context.Context, arg string, l logging) error {
	if l.component != "" {
		if err := oneOf("component", l.component, "jobmanager", "taskmanager", "operator"); err != nil {
			return err
		}
	}
	c, object, err := p.named(ctx, arg, runKinds)
	if err != nil {
		return err
	}
	of, source := view.FamilyOf(object), p.source(object, l)
	found := look.Listed[corev1.Pod](ctx, c.Reader, source.pods, func(*unstructured.Unstructured) bool { return true })
	switch {
	case len(c.Unreadable()) > 0:
		return failed("%s", c.Unreadable()[0])
	case len(found) == 0:
		return failed("%s: %s", source.none, view.RowOf(object).Line())
	case l.component != operator && of.Cluster != object.GetName():
		p.note("logs of session cluster %s, which may run other jobs", of.Cluster)
	}
	l.about = source.about
	return p.writeLogs(ctx, c, found, l, view.SecretsOf(object))
}

// operator is the component that is not of the cluster.
const operator = "operator"

// source is where logs come from.
type source struct {
	pods kube.Query
	// none is what is said when there is no pod.
	none string
	// about is what each line has to have; empty is nothing.
	about string
}

func (p *program) source(object *unstructured.Unstructured, l logging) source {
	if l.component == operator {
		return source{
			kube.Query{Resource: kube.Pods, Namespace: p.system, Labels: "serving.knative.dev/service=reconcile"},
			"function reconcile has no pod now, because nothing happens",
			object.GetNamespace() + "/" + object.GetKind() + "/" + object.GetName() + "\"",
		}
	}
	selector := "app=" + view.FamilyOf(object).Cluster
	if l.component != "" {
		selector += ",component=" + l.component
	}
	return source{
		kube.Query{Resource: kube.Pods, Namespace: object.GetNamespace(), Labels: selector},
		object.GetName() + " has no pods", "",
	}
}

// writeLogs writes the logs in the order of their times; those that are followed as they come.
func (p *program) writeLogs(
	ctx context.Context, c *cluster, of []corev1.Pod, l logging, secrets redact.Secrets,
) error {
	var mu sync.Mutex
	var lines []pods.LogLine
	write := func(line pods.LogLine) {
		text := secrets.Text(line.Text)
		if p.Terminal { // a file gets what the job wrote
			text = view.Printable(text)
		}
		fmt.Fprintf(p.Out, "%s | %s\n", line.Pod, text)
	}
	var group errgroup.Group
	for _, pod := range of {
		group.Go(func() error {
			return c.readLog(ctx, pod, l, func(line pods.LogLine) {
				mu.Lock()
				defer mu.Unlock()
				if l.follow {
					write(line)
				} else {
					lines = append(lines, line)
				}
			})
		})
	}
	err := group.Wait()
	pods.Merge(lines)
	for _, line := range lines {
		write(line)
	}
	if err != nil {
		return &Exit{CodeError, err}
	}
	return nil
}

// readLog hands each line of the log of a pod on. A container that has none yet has no lines.
func (c *cluster) readLog(ctx context.Context, pod corev1.Pod, l logging, see func(pods.LogLine)) error {
	stream, err := c.Stream(ctx, kube.Log{
		Namespace: pod.Namespace, Pod: pod.Name, Container: pods.MainContainer(&pod), Previous: l.previous, Lines: l.tail,
	}, l.since, l.follow)
	if apierrors.IsBadRequest(err) { // no container ran yet, or none before
		return nil
	}
	if err != nil {
		return err
	}
	defer stream.Close()
	scanner := bufio.NewScanner(stream)
	scanner.Buffer(nil, longestLine)
	for scanner.Scan() {
		if line := scanner.Text(); strings.Contains(line, l.about) {
			see(pods.LogLineOf(pod.Name, line))
		}
	}
	if err := scanner.Err(); err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("the log of pod %s: %w", pod.Name, err)
	}
	return nil
}
