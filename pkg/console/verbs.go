package console

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/history"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/view"
	"github.com/kn-flink/kn-flink/pkg/view/edit"
)

// verb is one change that a user may make: a command of kn flink.
type verb struct {
	// name is the last part of its address, title the words of its button.
	name, title string
	// command is that of kn flink, with the names of what it asks for.
	command string
	// asks are what a user has to say beside the resource.
	asks []Ask
	// snapshot is whether it makes a FlinkStateSnapshot, instead of a change of the resource.
	snapshot bool
	// of makes the change; nil for a snapshot.
	of func(context.Context, *visit, *unstructured.Unstructured, url.Values) (edit.Edit, error)
}

// Ask is one thing that a user has to say.
type Ask struct {
	// Name is that of the parameter, Label its words.
	Name  string `json:"name"`
	Label string `json:"label"` // for the user
	// Value is what was said; empty for nothing yet.
	Value string `json:"value,omitempty"`
	// Choices are all that may be said; empty for any text.
	Choices []string `json:"choices,omitempty"`
}

// plainly is a change that needs nothing but the resource.
func plainly(
	of func(*unstructured.Unstructured) (edit.Edit, error),
) func(context.Context, *visit, *unstructured.Unstructured, url.Values) (edit.Edit, error) {
	return func(_ context.Context, _ *visit, u *unstructured.Unstructured, _ url.Values) (edit.Edit, error) {
		return of(u)
	}
}

// verbs are all changes, by the commands of kn flink. What those do in two steps, and what deletes, is theirs alone.
var verbs = []verb{
	{name: "savepoint", title: "Take a savepoint", command: "savepoint NAME", snapshot: true},
	{name: "checkpoint", title: "Take a checkpoint", command: "checkpoint NAME", snapshot: true},
	{name: "suspend", title: "Suspend", command: "suspend NAME", of: plainly(edit.Suspend)},
	{name: "resume", title: "Resume", command: "resume NAME", of: plainly(edit.Resume)},
	{name: "restart", title: "Restart", command: "restart NAME", of: plainly(edit.Restart)},
	{
		name: "scale", title: "Scale", command: "scale NAME {to}",
		asks: []Ask{{Name: "to", Label: "Parallelism, or TaskManagers in standalone mode"}}, of: scaled,
	},
	{name: "promote", title: "Promote", command: "promote NAME", of: plainly(edit.Promote)},
	{name: "abort", title: "Abort the change", command: "abort NAME", of: plainly(edit.Abort)},
	{
		name: "reconcile", title: "Ask for a pass", command: "reconcile NAME",
		of: func(_ context.Context, v *visit, u *unstructured.Unstructured, _ url.Values) (edit.Edit, error) {
			return edit.Reconcile(u, v.now)
		},
	},
	{
		name: "autoscaler-pause", title: "Pause the autoscaler", command: "autoscale pause NAME",
		of: plainly(func(u *unstructured.Unstructured) (edit.Edit, error) { return edit.Autoscale(u, false) }),
	},
	{
		name: "autoscaler-resume", title: "Let the autoscaler scale", command: "autoscale resume NAME",
		of: plainly(func(u *unstructured.Unstructured) (edit.Edit, error) { return edit.Autoscale(u, true) }),
	},
	{
		name: "autoscaler-reset", title: "Reset the autoscaler", command: "autoscale reset NAME",
		of: plainly(edit.AutoscalerReset),
	},
	{
		name: "rollback", title: "Go back to an earlier start", command: "rollback NAME --to {to} --state={state}",
		asks: []Ask{
			{Name: "to", Label: "Revision"},
			{Name: "state", Label: "What the job starts from", Choices: []string{edit.StateNow, edit.StateThen}},
		}, of: rolledBack,
	},
	{
		name: "restore", title: "Start from a state of your choice", command: "restore NAME --from {from}",
		asks: []Ask{{Name: "from", Label: "Path of a savepoint or checkpoint, or snapshot/NAME"}}, of: restored,
	},
}

// verbOf is the verb of a name.
func verbOf(name string) (verb, bool) {
	for _, v := range verbs {
		if v.name == name {
			return v, true
		}
	}
	return verb{}, false
}

// said fills in what the parameters of a request say. It is false where something is missing.
func (b verb) said(params url.Values) (asks []Ask, whole bool) {
	whole = true
	for _, a := range b.asks {
		a.Value = strings.TrimSpace(params.Get(a.Name))
		if a.Value == "" && len(a.Choices) == 0 {
			whole = false
		}
		if len(a.Choices) > 0 {
			a.Value = cmp.Or(a.Value, a.Choices[0])
		}
		asks = append(asks, a)
	}
	return asks, whole
}

// typed is the command of kn flink that does the same.
func (b verb) typed(u *unstructured.Unstructured, asks []Ask) string {
	kind, _ := kinds.Of(u.GetKind())
	words := strings.NewReplacer("NAME", kind.Short+"/"+u.GetName())
	text := words.Replace(b.command)
	for _, a := range asks {
		text = strings.ReplaceAll(text, "{"+a.Name+"}", quoted(a.Value))
	}
	return "kn flink " + text + " -n " + u.GetNamespace()
}

// plainWord is what a shell takes as it is.
var plainWord = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// quoted is a word for a shell.
func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func scaled(_ context.Context, _ *visit, u *unstructured.Unstructured, params url.Values) (edit.Edit, error) {
	to, err := strconv.ParseInt(strings.TrimSpace(params.Get("to")), 10, 32)
	if err != nil || to < 1 {
		return edit.Edit{}, fmt.Errorf("scale to %q: it is a whole number from 1 on", params.Get("to"))
	}
	return edit.Scale(u, to)
}

func rolledBack(
	ctx context.Context, v *visit, u *unstructured.Unstructured, params url.Values,
) (edit.Edit, error) {
	all, err := v.Revisions(ctx, u)
	if err != nil {
		return edit.Edit{}, err
	}
	to, err := numbered(all, params.Get("to"))
	if err != nil {
		return edit.Edit{}, err
	}
	from := cmp.Or(params.Get("state"), edit.StateNow)
	if from != edit.StateNow && from != edit.StateThen {
		return edit.Edit{}, fmt.Errorf("start from %q: it is %s or %s", from, edit.StateNow, edit.StateThen)
	}
	return edit.Rollback(u, to, from, view.Hiding(u, to))
}

// numbered is the revision that has a number.
func numbered(all []history.Revision, number string) (history.Revision, error) {
	for _, r := range all {
		if fmt.Sprint(r.Number) == strings.TrimSpace(number) {
			return r, nil
		}
	}
	return history.Revision{}, fmt.Errorf("there is no revision %q: the page of the job lists those that are kept", number)
}

func restored(ctx context.Context, v *visit, u *unstructured.Unstructured, params url.Values) (edit.Edit, error) {
	from := strings.TrimSpace(params.Get("from"))
	name, is := strings.CutPrefix(from, "snapshot/")
	if !is {
		return edit.Restore(u, from)
	}
	if !podName.MatchString(name) {
		return edit.Edit{}, fmt.Errorf("%q is no name of a snapshot", name)
	}
	snapshot, there, err := v.Get(ctx, kube.Object{
		Resource: v1beta1.FlinkStateSnapshotGVR, Namespace: u.GetNamespace(), Name: name,
	})
	if err != nil {
		return edit.Edit{}, err
	}
	path := ""
	if there {
		path, _, _ = unstructured.NestedString(snapshot.Object, "status", "path")
	}
	if path == "" {
		return edit.Edit{}, fmt.Errorf("snapshot %s is not there, or has no data yet", name)
	}
	return edit.Restore(u, path)
}
