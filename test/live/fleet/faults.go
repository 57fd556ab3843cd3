package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/local/mesh"
	"github.com/kn-flink/kn-flink/pkg/event"
)

// fault is something that goes wrong while a fleet is measured.
type fault struct {
	what string
	do   func(ctx context.Context, r *run) (note string, err error)
}

var faults = map[string]fault{
	"burst":  {"100 applications are edited in a sweep", burst},
	"slow":   {"1 % of the JobManagers answer after 10 s, the first ones by name", some("slow")},
	"gone":   {"1 % of the JobManagers refuse connections, the first ones by name", some("gone")},
	"429":    {"the API server answers 429 to a third of the functions' requests", tooMany},
	"killed": {"a pod of observe is killed in a sweep", killed},
	"lost":   {"an event of a shard is lost", lost},
	"zone":   {"500 JobManagers are lost at the same time, and come back", zone},
}

// Faults are the names of those that there are, with what happens.
func Faults() (names []string, what map[string]string) {
	what = map[string]string{}
	for name, f := range faults {
		names, what[name] = append(names, name), f.what
	}
	sort.Strings(names)
	return names, what
}

// undo makes all right again.
func (r *run) undo() {
	r.platform.Mesh().SetFaults(mesh.Faults{})
	r.requests.set(0)
	r.flink.mu.Lock()
	defer r.flink.mu.Unlock()
	for _, c := range r.flink.clusters {
		c.slow, c.gone = false, false
	}
}

// inSweep waits until a sweep has just begun: the clock ticks with the minute, and then somebody is asked.
func (r *run) inSweep(ctx context.Context) error {
	if err := r.wait(ctx, time.Until(time.Now().Truncate(time.Minute).Add(time.Minute))); err != nil {
		return err
	}
	for before := r.flink.served(); r.flink.served() == before; {
		if err := r.wait(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

func burst(ctx context.Context, r *run) (string, error) {
	if err := r.inSweep(ctx); err != nil {
		return "", err
	}
	n, began := min(100, r.result.Counts.Applications/2), time.Now()
	r.excuse(n)
	var group errgroup.Group
	var mu sync.Mutex
	var took []time.Duration
	group.SetLimit(writers)
	for i := range n {
		group.Go(func() error {
			at := stampOf(nameOf("app", i), i)
			d, err := r.edit(ctx, at.namespace, at.name)
			mu.Lock()
			took = append(took, d)
			mu.Unlock()
			return err
		})
	}
	err := group.Wait()
	slices.Sort(took)
	return fmt.Sprintf("%d edits: a new JobManager Deployment after %s at the latest, all after %s", n,
		took[len(took)-1].Round(100*time.Millisecond), time.Since(began).Round(100*time.Millisecond)), err
}

// some does something to one percent of the JobManagers.
func some(what string) func(context.Context, *run) (string, error) {
	return func(_ context.Context, r *run) (string, error) {
		n := max(1, r.result.Counts.Applications/100)
		if what == "gone" {
			r.excuse(n)
		}
		r.flink.mu.Lock()
		r.flink.slow = 10 * time.Second
		r.flink.mu.Unlock()
		for i := range n {
			at := stampOf(nameOf("app", i), i)
			r.flink.change(hostOfCluster(at.namespace, at.name), func(c *clusterAnswers) {
				c.slow, c.gone = what == "slow", what == "gone"
			})
		}
		return fmt.Sprintf("%d JobManagers", n), nil
	}
}

// excuse has nobody expect looks at the first applications and their snapshots: their jobs end, or cannot be reached.
func (r *run) excuse(n int) {
	for i := range n {
		with := stampOf(nameOf("app", i), i)
		r.looks.excuse(with.namespace+"/"+with.name, with.namespace+"/"+nameOf("taking", i))
	}
}

func tooMany(_ context.Context, r *run) (string, error) {
	r.requests.set(1.0 / 3)
	return "", nil
}

func killed(ctx context.Context, r *run) (string, error) {
	if err := r.inSweep(ctx); err != nil {
		return "", err
	}
	pids := r.usage.running("observe")
	if len(pids) == 0 {
		return "", errors.New("no pod of observe runs in a sweep")
	}
	return fmt.Sprintf("one of %d pods", len(pids)), syscall.Kill(pids[0], syscall.SIGKILL)
}

func lost(ctx context.Context, r *run) (string, error) {
	before := r.platform.Mesh().Counts().Dropped
	r.platform.Mesh().SetFaults(mesh.Faults{Type: event.TypeShard, Drop: 1})
	for r.platform.Mesh().Counts().Dropped == before {
		if err := r.wait(ctx, time.Millisecond); err != nil {
			return "no shard was sent", err
		}
	}
	r.platform.Mesh().SetFaults(mesh.Faults{})
	return fmt.Sprintf("%d events", r.platform.Mesh().Counts().Dropped-before), nil
}

// edits makes some edits of the application that is beside the fleet, one after the other.
func (r *run) edits(ctx context.Context) error {
	var took []time.Duration
	for i := range r.options.Edits {
		r.options.Progress(fmt.Sprintf("edit %d of %d", i+1, r.options.Edits))
		d, err := r.edit(ctx, namespaceOf(0), edited)
		if err != nil {
			return err
		}
		took = append(took, d)
		if err := r.stable(ctx, namespaceOf(0), edited); err != nil {
			return err
		}
	}
	if slices.Sort(took); len(took) > 0 {
		r.result.Edit = took[len(took)/2]
	}
	return nil
}

var ofKubernetes = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}

// editFor is how long an edit may take.
const editFor = 2 * time.Minute

// edit changes the parallelism of an application, and returns how long it took until there was a new Deployment of its
// JobManager.
func (r *run) edit(ctx context.Context, namespace, name string) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, editFor)
	defer cancel()
	w, err := r.dynamic.Resource(ofKubernetes).Namespace(namespace).Watch(
		ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name},
	)
	if err != nil {
		return 0, err
	}
	defer w.Stop()
	patch := fmt.Appendf( // another parallelism each time
		nil, `{"spec":{"job":{"parallelism":%d,"upgradeMode":"stateless"}}}`, 3+r.patches.Add(1)%100,
	)
	var began time.Time
	for {
		select {
		case e, open := <-w.ResultChan():
			switch {
			case !open:
				return 0, fmt.Errorf("edit of %s/%s: no new Deployment of its JobManager in %s", namespace, name, editFor)
			case began.IsZero(): // the one that is there: the watch works
				if _, err := r.dynamic.Resource(deployments).Namespace(namespace).Patch(
					ctx, name, types.MergePatchType, patch, metav1.PatchOptions{},
				); err != nil {
					return 0, err
				}
				began = time.Now()
			case e.Type == "ADDED":
				return time.Since(began), nil
			}
		case <-ctx.Done():
			return 0, fmt.Errorf("edit of %s/%s: %w", namespace, name, ctx.Err())
		}
	}
}

// stable waits until an application is.
func (r *run) stable(ctx context.Context, namespace, name string) error {
	for began := time.Now(); time.Since(began) < editFor; {
		u, err := r.dynamic.Resource(deployments).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		status, _ := u.Object["status"].(map[string]any)
		if status["lifecycleState"] == "STABLE" && status["observedGeneration"] == u.GetGeneration() {
			return nil
		}
		if err := r.wait(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s/%s is not STABLE %s after its edit", namespace, name, editFor)
}
