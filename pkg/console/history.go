package console

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/history"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/redact"
	"github.com/kn-flink/kn-flink/pkg/view"
)

// historyFor is how long the history of a job is shown before it is read again, while its status names no other start.
const historyFor = time.Minute

// history are the last starts of a resource; nil where none is kept. What cannot be read is noted.
func (v *visit) history(ctx context.Context, u *unstructured.Unstructured, unreadable *[]string) *view.History {
	if kind, known := kinds.Of(u.GetKind()); !known || !kind.Counted {
		return nil
	}
	newest, _, _ := unstructured.NestedMap(u.Object, "status", "revision")
	of, _ := json.Marshal(newest) // it was read from JSON
	now := func() time.Time { return v.now }
	key := sharedKey{v.key, "history " + string(u.GetUID()) + string(of)}
	all, err := share(v.shared, key, now, historyFor, func() ([]history.Revision, error) { return v.Revisions(ctx, u) })
	if err != nil {
		*unreadable = append(*unreadable, redact.Text(err.Error()))
	}
	if len(all) == 0 {
		return nil
	}
	h := view.HistoryOf(u, all)
	return &h
}

// History is the page of the starts of a job, and of the difference of two of them.
type History struct {
	view.History `json:",inline"`
	// From and To are the revisions that are compared; empty for none.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"` // a number
	// Changes are the fields that differ from one to the other; nil where none are compared.
	Changes []string `json:"changes"`
	// RollsBack is whether the user may go back to one of them.
	RollsBack bool `json:"-"`
}

func readHistory(ctx context.Context, v *visit) (shown, error) {
	u, err := v.object(ctx)
	if err != nil {
		return shown{}, err
	}
	if kind, _ := kinds.Of(u.GetKind()); !kind.Counted {
		return shown{}, &problem{http.StatusNotFound, "There is no history", "A " + u.GetKind() + " keeps no revisions."}
	}
	all, err := v.Revisions(ctx, u)
	if err != nil {
		return shown{}, err
	}
	p := History{History: view.HistoryOf(u, all), From: v.URL.Query().Get("from"), To: v.URL.Query().Get("to")}
	p.RollsBack = v.rollsBack(ctx, u)
	if p.From != "" || p.To != "" {
		from, err := numbered(all, p.From)
		if err != nil {
			return shown{}, cannot(u, err)
		}
		to, err := numbered(all, p.To)
		if err != nil {
			return shown{}, cannot(u, err)
		}
		if p.Changes, err = view.Diff(u, from, to); err != nil {
			return shown{}, cannot(u, err)
		}
		if p.Changes == nil {
			p.Changes = []string{}
		}
	}
	return shown{title: "History of " + u.GetName(), view: p, told: fmt.Sprintf("%d starts", len(all))}, nil
}

// rollsBack is whether the user may go back to an earlier start.
func (v *visit) rollsBack(ctx context.Context, u *unstructured.Unstructured) bool {
	kind, _ := kinds.Of(u.GetKind())
	return v.options.Actions && v.may(ctx, "patch", kind.Resource.Resource, u.GetNamespace())
}
