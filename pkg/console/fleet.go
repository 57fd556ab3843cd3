package console

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/view"
)

// pageRows is how many resources of a kind one page reads.
const pageRows = 200

// Fleet is the page of all jobs and clusters.
type Fleet struct {
	metav1.TypeMeta `json:",inline"`
	// Asked is what the rows were selected by.
	Asked Filter `json:"asked"`
	// Counts are of all resources of the namespaces, whatever was selected.
	Counts []Count `json:"counts,omitempty"`
	// Items are the rows.
	Items []view.Row `json:"items"`
	// Large is whether a kind has more resources than one page reads: rows are then those of one kind, in the order of
	// their names, and counts are as old as 20 seconds.
	Large bool `json:"large,omitempty"`
	// Next is the address of the next page; empty after the last one.
	Next string `json:"next,omitempty"`
	// Notes say what the page leaves out.
	Notes []string `json:"notes,omitempty"`
	// Unreadable says what could not be read.
	Unreadable []string `json:"unreadable,omitempty"`
}

// Count is how many resources something is true of.
type Count struct {
	// Name says of what.
	Name string `json:"name"`
	// Number is how many.
	Number int `json:"number"`
	// Address is the page of those; empty where there is none.
	Address string `json:"address,omitempty"`
	// Class belongs to the colour.
	Class string `json:"-"`
}

// Filter is what the rows of a fleet are selected by. The zero value selects all.
type Filter struct {
	// Namespace is one namespace; empty is all.
	Namespace string `json:"namespace,omitempty"`
	// Kind is a plural; empty is each kind that runs something.
	Kind string `json:"kind,omitempty"`
	// Need is user, time or suspended.
	Need string `json:"need,omitempty"`
	// Text is what a name has.
	Text string `json:"text,omitempty"`
	// Labels is a label selector.
	Labels string `json:"labels,omitempty"`

	next string
}

// Needs are the values of need with their words.
func (Filter) Needs() [][2]string {
	return [][2]string{{"", "all"}, {"user", "need you"}, {"time", "moving"}, {"suspended", "suspended"}}
}

// Kinds are the values of kind with their words.
func (Filter) Kinds() [][2]string {
	all := [][2]string{{"", "all"}}
	for _, k := range running {
		all = append(all, [2]string{k.Resource.Resource, refKind(view.Ref{Kind: k.Name}) + "s"})
	}
	return all
}

// running are the kinds that run something.
var running = slices.DeleteFunc(slices.Clone(kinds.All), func(k kinds.Kind) bool { return !k.Pods })

// filterOf reads the query of an address. What it cannot mean is refused.
func filterOf(q url.Values) (Filter, error) {
	f := Filter{
		Namespace: strings.TrimSpace(q.Get("namespace")), Kind: q.Get("kind"), Need: q.Get("need"),
		Text: strings.TrimSpace(q.Get("text")), Labels: strings.TrimSpace(q.Get("labels")), next: q.Get("continue"),
	}
	refuse := func(name, value, why string) (Filter, error) {
		return f, &problem{http.StatusBadRequest, "This filter means nothing", fmt.Sprintf("%s %q %s.", name, value, why)}
	}
	if _, known := kindOf(f.Kind); f.Kind != "" && !known {
		return refuse("Kind", f.Kind, "is no plural of a kind")
	}
	if !slices.ContainsFunc(f.Needs(), func(n [2]string) bool { return n[0] == f.Need }) {
		return refuse("Need", f.Need, "is not user, time or suspended")
	}
	if f.Namespace != "" && len(validation.IsDNS1123Label(f.Namespace)) > 0 {
		return refuse("Namespace", f.Namespace, "is no name")
	}
	if _, err := labels.Parse(f.Labels); err != nil {
		return refuse("Labels", f.Labels, "is no label selector: "+err.Error())
	}
	if f.next != "" && f.Kind == "" {
		return refuse("Continue", f.next, "needs a kind")
	}
	return f, nil
}

// address belongs to the page of a filter.
func (f Filter) address() string {
	q := url.Values{}
	for name, value := range map[string]string{
		"namespace": f.Namespace, "kind": f.Kind, "need": f.Need, "text": f.Text, "labels": f.Labels, "continue": f.next,
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if len(q) == 0 {
		return "/jobs"
	}
	return "/jobs?" + q.Encode()
}

// kinds are those that the filter wants.
func (f Filter) kinds() []kinds.Kind {
	if k, named := kindOf(f.Kind); named {
		return []kinds.Kind{k}
	}
	return running
}

// selected are the rows that a filter wants, in their order: what needs a user first, where that is asked for.
func (f Filter) selected(rows []view.Row) []view.Row {
	rows = slices.DeleteFunc(view.Rows(rows, view.Select{
		Stalled: f.Need == "user", Moving: f.Need == "time", Suspended: f.Need == "suspended",
	}), func(r view.Row) bool { return !strings.Contains(r.Name, f.Text) })
	return rows
}

// first is the first page of each kind.
type first struct {
	mu   sync.Mutex
	rows []view.Row
	// next are the tokens of kinds that have more.
	next map[string]string
	// failed are the kinds that could not be read.
	failed map[string]error
}

// readFirst reads a page of each of the kinds at the same time.
func (v *visit) readFirst(ctx context.Context, f Filter, fields string) *first {
	found := &first{next: map[string]string{}, failed: map[string]error{}}
	var group errgroup.Group
	for _, k := range f.kinds() {
		group.Go(func() error {
			var rows []view.Row
			page, err := v.ListEach(ctx, kube.Query{
				Resource: k.Resource, Namespace: f.Namespace, Labels: f.Labels, Fields: fields, Limit: pageRows, Continue: f.next,
			}, func(content map[string]any) error {
				rows = append(rows, view.ShownOf(&unstructured.Unstructured{Object: content}))
				return nil
			})
			found.mu.Lock()
			defer found.mu.Unlock()
			found.rows = append(found.rows, rows...)
			if page.Continue != "" {
				found.next[k.Resource.Resource] = page.Continue
			}
			if err != nil {
				found.failed[k.Resource.Resource] = err
			}
			return nil
		})
	}
	_ = group.Wait() // what failed is in failed
	return found
}

// allForbidden is whether no kind may be read.
func (f *first) allForbidden(of int) bool {
	for _, err := range f.failed {
		if !apierrors.IsForbidden(err) {
			return false
		}
	}
	return len(f.failed) == of
}

func readFleet(ctx context.Context, v *visit) (shown, error) {
	f, err := filterOf(v.URL.Query())
	if err != nil {
		return shown{}, err
	}
	page := Fleet{TypeMeta: metav1.TypeMeta{APIVersion: view.Version, Kind: "Fleet"}, Asked: f, Items: []view.Row{}}
	found := v.readFirst(ctx, f, "")
	if home := v.options.Namespace; f.Namespace == "" && home != "" && found.allForbidden(len(f.kinds())) {
		page.Notes = append(page.Notes, "You may not list in all namespaces. This is namespace "+home+".")
		f.Namespace = home
		page.Asked.Namespace = home
		found = v.readFirst(ctx, f, "")
	}
	if f.Namespace == "" && found.allForbidden(len(f.kinds())) {
		return shown{}, &problem{http.StatusForbidden, "You may not list in all namespaces",
			"Name yours in the address: /jobs?namespace=NAME"}
	}
	if err := v.unread(f, found); err != nil {
		return shown{}, err
	}
	if len(found.next) > 0 || f.next != "" {
		err = v.readLarge(ctx, f, found, &page)
	} else {
		page.Counts = countsOf(f, found.rows)
		page.Items = append(page.Items, f.selected(found.rows)...)
	}
	page.Unreadable = v.Unreadable()
	moves := slices.ContainsFunc(page.Items, func(r view.Row) bool { return r.Need == view.NeedTime })
	return shown{title: "Jobs", view: page, moves: moves, told: page.told()}, err
}

// unread notes the kinds that cannot be read. It is an error where none can.
func (v *visit) unread(f Filter, found *first) error {
	var last error
	for _, k := range f.kinds() {
		err := found.failed[k.Resource.Resource]
		switch {
		case err == nil:
		case apierrors.IsNotFound(err):
			last = &problem{http.StatusNotFound, "Flink's kinds are not installed", "The cluster has no " + k.Name +
				": apply the CRDs of kn-flink, or of the Java operator."}
		default:
			v.Cannot("list", kube.Query{Resource: k.Resource, Namespace: f.Namespace}, err)
			last = err
		}
	}
	if len(found.failed) < len(f.kinds()) {
		return nil
	}
	return last
}

// countsOf are the counts of a fleet of which all is known.
func countsOf(f Filter, rows []view.Row) []Count {
	f = Filter{Namespace: f.Namespace, Kind: f.Kind, Labels: f.Labels}
	number := map[string]int{}
	for _, r := range rows {
		number[markOf(r).Class]++
	}
	count := func(name, class, need string) Count {
		of := f
		of.Need = need
		return Count{name, number[class], of.address(), class}
	}
	return []Count{
		count("need you", "user", "user"), count("moving", "time", "time"), {"as wanted", number["well"], "", "well"},
		count("suspended", "off", "suspended"),
	}
}

// told is the fleet in a few words.
func (f Fleet) told() string {
	var texts []string
	for _, c := range f.Counts {
		texts = append(texts, fmt.Sprintf("%d %s", c.Number, c.Name))
	}
	return strings.Join(texts, ", ")
}

// Urgent are the rows that need a user, where rows were not selected by that.
func (f Fleet) Urgent() (rows []view.Row) {
	if f.Asked.Need != "" {
		return nil
	}
	for _, r := range f.Items {
		if r.Need == view.NeedUser && len(rows) < pageRows {
			rows = append(rows, r)
		}
	}
	return rows
}

// Snapshots is the page of snapshots.
type Snapshots struct {
	metav1.TypeMeta `json:",inline"`
	// Namespace is the one of the snapshots; empty is all.
	Namespace string `json:"namespace,omitempty"`
	// Items are the rows.
	Items []view.Row `json:"items"`
	// Next is the address of the next page; empty after the last one.
	Next string `json:"next,omitempty"`
}

func readSnapshots(ctx context.Context, v *visit) (shown, error) {
	q := v.URL.Query()
	q.Set("kind", "flinkstatesnapshots")
	f, err := filterOf(q)
	if err != nil {
		return shown{}, err
	}
	found := v.readFirst(ctx, f, "")
	if home := v.options.Namespace; f.Namespace == "" && home != "" && found.allForbidden(1) {
		f.Namespace = home
		found = v.readFirst(ctx, f, "")
	}
	if err := v.unread(f, found); err != nil {
		return shown{}, err
	}
	page := Snapshots{
		metav1.TypeMeta{APIVersion: view.Version, Kind: "Snapshots"}, f.Namespace,
		append([]view.Row{}, view.Rows(found.rows, view.Select{})...), "",
	}
	if token := found.next[f.Kind]; token != "" {
		page.Next = "/snapshots?" + url.Values{"namespace": {f.Namespace}, "continue": {token}}.Encode()
	}
	moves := slices.ContainsFunc(page.Items, func(r view.Row) bool { return r.Need == view.NeedTime })
	return shown{
		title: "Snapshots", view: page, moves: moves, told: fmt.Sprintf("%d snapshots", len(page.Items)),
	}, nil
}
