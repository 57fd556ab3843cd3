package console

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/view"
)

const (
	// countedFor is how long the counts of a large fleet are kept.
	countedFor = 20 * time.Second
	// countedSoon is how long a page waits for counts that nobody has yet.
	countedSoon = 150 * time.Millisecond
	// tableRows is how many rows of a Table one request brings.
	tableRows = 500
	// picked is how many resources of a large fleet are read one by one, for a page that selects by name or need.
	picked = 100
)

// line is what a Table says of one resource.
type line struct {
	kind                                    kinds.Kind
	namespace, name, lifecycle, job, readys string
}

// tableColumns are the columns of a Table; older definitions lack some.
var tableColumns = kube.Columns{
	"Namespace":       func(o map[string]any) any { return field(o, "metadata", "namespace") },
	"Name":            func(o map[string]any) any { return field(o, "metadata", "name") },
	"Lifecycle State": func(o map[string]any) any { return field(o, "status", "lifecycleState") },
	"Job Status":      func(o map[string]any) any { return field(o, "status", "jobStatus", "state") },
	"Ready":           ready,
}

func field(content map[string]any, path ...string) any {
	for _, name := range path[:len(path)-1] {
		content, _ = content[name].(map[string]any)
	}
	return content[path[len(path)-1]]
}

func ready(content map[string]any) any {
	conditions, _ := field(content, "status", "conditions").([]any)
	for _, c := range conditions {
		if condition, _ := c.(map[string]any); condition["type"] == "Ready" {
			return condition["status"]
		}
	}
	return nil
}

// lines reads the whole fleet as Tables: a few words of each resource.
func (v *visit) lines(ctx context.Context, f Filter) ([]line, error) {
	var all []line
	for _, k := range f.kinds() {
		q := kube.Query{Resource: k.Resource, Namespace: f.Namespace, Labels: f.Labels, Limit: tableRows}
		for more := true; more; more = q.Continue != "" {
			page, rows, err := v.Table(ctx, q, nil, tableColumns)
			if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) { // the page of the rows says so
				break
			}
			if err != nil {
				return nil, err
			}
			for _, r := range rows {
				namespace := r.Text("Namespace")
				if namespace == "" {
					namespace = f.Namespace
				}
				all = append(all, line{
					k, namespace, r.Text("Name"), r.Text("Lifecycle State"), r.Text("Job Status"), r.Text("Ready"),
				})
			}
			q.Continue = page.Continue
		}
	}
	return all, nil
}

// counted are the lines of the fleet, at most 20 seconds old. They are read on behalf of all pages of the caller, so a
// page that does not wait for them leaves them to the next one.
func (v *visit) counted(f Filter) <-chan []line {
	f = Filter{Namespace: f.Namespace, Kind: f.Kind, Labels: f.Labels}
	done := make(chan []line, 1)
	go func() {
		defer close(done)
		now := func() time.Time { return v.now }
		all, err := share(v.shared, sharedKey{v.key, "lines " + f.address()}, now, countedFor, func() ([]line, error) {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(v.Context()), answerTime)
			defer cancel()
			return v.lines(ctx, f)
		})
		if err == nil {
			done <- all
		}
	}()
	return done
}

// readLarge is the page of a fleet of which a kind has more resources than one page reads.
func (v *visit) readLarge(ctx context.Context, f Filter, found *first, page *Fleet) error {
	page.Large = true
	counted := v.counted(f)
	var err error
	switch {
	case f.Need == "user" || f.Text != "":
		select {
		case lines, there := <-counted:
			if !there {
				return &problem{http.StatusGatewayTimeout, "The fleet could not be read", "The page is asked for again."}
			}
			page.Counts = countsOfLines(f, lines)
			page.Items, err = v.pick(ctx, f, lines, page)
		case <-ctx.Done():
			return ctx.Err()
		}
		return err
	case f.Need != "":
		fields := "status.lifecycleState=" + string(v1beta1.LifecycleSuspended)
		if f.Need == "time" {
			fields = "status.pace=" + string(v1beta1.PaceFast)
		}
		found = v.readFirst(ctx, f, fields)
	case f.Kind == "":
		f.Kind = found.largest()
		page.Notes = append(page.Notes, "The fleet is large: this page has one kind.")
		page.Asked.Kind = f.Kind
	}
	kind, _ := kindOf(f.Kind)
	rows := found.rows
	if f.Kind != "" {
		rows = slices.DeleteFunc(rows, func(r view.Row) bool { return r.Ref.Kind != kind.Name })
	}
	page.Items = append(page.Items, f.selected(rows)...)
	if f.next = found.next[f.Kind]; f.next != "" {
		page.Next = f.address()
	}
	select {
	case lines, there := <-counted:
		page.Counts = countsOfLines(Filter{Namespace: f.Namespace, Labels: f.Labels}, lines)
		if !there {
			page.Notes = append(page.Notes, "The whole fleet could not be counted.")
		}
	case <-time.After(countedSoon):
		page.Notes = append(page.Notes, "The whole fleet is being counted.")
	}
	return nil
}

// largest is the first kind that has more than a page.
func (f *first) largest() string {
	for _, k := range running {
		if f.next[k.Resource.Resource] != "" {
			return k.Resource.Resource
		}
	}
	return running[0].Resource.Resource
}

// countsOfLines are the counts of a large fleet.
func countsOfLines(f Filter, lines []line) []Count {
	if len(lines) == 0 {
		return nil
	}
	unready, suspended, failed := 0, 0, 0
	for _, l := range lines {
		switch {
		case l.lifecycle == string(v1beta1.LifecycleSuspended):
			suspended++
		case l.lifecycle == string(v1beta1.LifecycleFailed):
			failed++
			unready++
		case l.readys != "True":
			unready++
		}
	}
	at := func(need string) string {
		of := f
		of.Need, of.Text, of.next = need, "", ""
		return of.address()
	}
	return []Count{
		{"in all", len(lines), at(""), ""}, {"not ready", unready, at("user"), "user"}, {"failed", failed, "", "user"},
		{"moving or waiting", unready - failed, at("time"), "time"}, {"suspended", suspended, at("suspended"), "off"},
	}
}

// pick reads the resources of the lines that a filter may want one by one, up to a number, and has those that it does
// want.
func (v *visit) pick(ctx context.Context, f Filter, lines []line, page *Fleet) ([]view.Row, error) {
	var wanted []line
	for _, l := range lines {
		may := f.Need != "user" || l.readys != "True" && l.lifecycle != string(v1beta1.LifecycleSuspended)
		if may && l.namespace != "" && strings.Contains(l.name, f.Text) {
			wanted = append(wanted, l)
		}
	}
	if len(wanted) > picked {
		page.Notes = append(page.Notes, fmt.Sprintf("These are of the first %d of %d resources that may be meant: choose a "+
			"namespace, a kind or a text.", picked, len(wanted)))
		wanted = wanted[:picked]
	}
	if slices.ContainsFunc(lines, func(l line) bool { return l.namespace == "" }) {
		page.Notes = append(page.Notes, "Pairs are looked through only where a namespace is chosen.")
	}
	rows := make([]view.Row, len(wanted))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(10)
	for i, l := range wanted {
		group.Go(func() error {
			u, there, err := v.Get(ctx, kube.Object{Resource: l.kind.Resource, Namespace: l.namespace, Name: l.name})
			if there {
				rows[i] = view.ShownOf(u)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(r view.Row) bool { return r.Name == "" }) // gone meanwhile
	return append([]view.Row{}, f.selected(rows)...), nil
}
