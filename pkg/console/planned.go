package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/act"
	"github.com/kn-flink/kn-flink/pkg/lookout"
	"github.com/kn-flink/kn-flink/pkg/preview"
	"github.com/kn-flink/kn-flink/pkg/redact"
	"github.com/kn-flink/kn-flink/pkg/view"
	"github.com/kn-flink/kn-flink/pkg/view/edit"
)

// Planned is the page of a change before it is made: what it is, what would come of it, and the button that makes it.
type Planned struct {
	// Of is the resource, in Namespace.
	Of view.Ref `json:"of"`
	// Namespace is its namespace.
	Namespace string `json:"namespace"`
	// Verb is the change, Title the same in words.
	Verb  string `json:"verb"`
	Title string `json:"title"` // for the user
	// Asks are what a user has to say first.
	Asks []Ask `json:"asks,omitempty"`
	// Says is the change in words; empty while something has to be said first.
	Says string `json:"says,omitempty"`
	// Notes are what a user should know of it.
	Notes []string `json:"notes,omitempty"`
	// GivesUp says which state is given up; empty where none is.
	GivesUp string `json:"givesUp,omitempty"`
	// Nothing is whether the resource is so already.
	Nothing bool `json:"nothing,omitempty"`
	// Owner is the GitOps tool that would take the change back, Commit the change for its manifest; empty for none.
	Owner  string `json:"owner,omitempty"`
	Commit string `json:"commit,omitempty"` // YAML
	// Plan is what would come of it, by the operator's own decision; nil where that is not asked for, or not known.
	Plan *preview.View `json:"plan,omitempty"`
	// Refused is why the API server does not take it; empty where it does.
	Refused string `json:"refused,omitempty"`
	// Command is that of kn flink that does the same.
	Command string `json:"command,omitempty"`
	// Form is what the button sends; nil where there is none.
	Form *Form `json:"-"`
}

// Form is what a plan and its button have in common.
type Form struct {
	// Token is bound to the user, the change, and the resource as it was when the plan was made.
	Token string
	// Version and UID are the resource's.
	Version, UID string
}

// change is what a verb comes to for a resource: an edit, or a snapshot.
type change struct {
	edit.Edit

	snapshot *unstructured.Unstructured
}

// change makes the change of a verb.
func (v *visit) change(
	ctx context.Context, b verb, u *unstructured.Unstructured, params url.Values,
) (c change, err error) {
	if !b.snapshot {
		c.Edit, err = b.of(ctx, v, u, params)
		return c, err
	}
	c.snapshot, err = edit.Snapshot{Checkpoint: b.name == "checkpoint"}.Of(u, v.now)
	c.Says, c.Beside = "a FlinkStateSnapshot is made, which asks for a "+b.name, true
	return c, err
}

// plannedTime is how long a plan may take: Flink is asked for it.
const plannedTime = 2 * answerTime

// readPlanned is the page of a verb.
func readPlanned(ctx context.Context, v *visit) (shown, error) {
	b, known := verbOf(v.PathValue("verb"))
	if !known || !v.options.Actions {
		return shown{}, &problem{http.StatusNotFound, "There is no such page", v.Request.URL.Path +
			" is not a page of the console."}
	}
	u, err := v.object(ctx)
	if err != nil {
		return shown{}, err
	}
	params := v.URL.Query()
	asks, whole := b.said(params)
	p := Planned{
		Of: view.RowOf(u).Ref, Namespace: u.GetNamespace(), Verb: b.name, Title: b.title, Asks: asks,
	}
	page := shown{title: b.title + ": " + u.GetName(), still: true}
	if !whole {
		page.view = p
		return page, nil
	}
	c, err := v.change(ctx, b, u, params)
	if err != nil {
		return shown{}, cannot(u, err)
	}
	hide := view.SecretsOf(u).Text
	p.Command, p.Nothing, p.Notes = b.typed(u, asks), c.Nothing, c.Notes
	p.Says, p.GivesUp = redact.Text(hide(c.Says)), redact.Text(hide(c.GivesUp))
	if c.After != nil {
		return shown{}, cannot(u, fmt.Errorf("this has a second step, %s: %s", c.AfterSays, p.Command))
	}
	if p.Owner = edit.Owner(u); p.Owner != "" && !c.Beside {
		text, err := c.Commit(u)
		p.Commit = redact.Text(hide(text))
		page.view = p
		return page, err
	}
	p.Owner = ""
	if !p.Nothing {
		if !c.Beside {
			v.foresee(ctx, u, c.Edit, &p)
		}
		if p.Refused == "" {
			p.Form = v.form(b, u, params)
		}
	}
	page.view = p
	return page, nil
}

// cannot is the page of a change that a resource cannot have.
func cannot(u *unstructured.Unstructured, err error) error {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return err
	}
	return &problem{http.StatusBadRequest, "This change cannot be made", redact.Text(view.SecretsOf(u).Text(err.Error()))}
}

// foresee has the API server judge an edit, and says what would come of it.
func (v *visit) foresee(ctx context.Context, u *unstructured.Unstructured, e edit.Edit, p *Planned) {
	hide := view.SecretsOf(u).Text
	after, err := act.Change(ctx, v.Reader, u, e, true)
	switch {
	case err != nil:
		p.Refused = redact.Text(hide(err.Error()))
		return
	case v.config == nil:
		return
	}
	plan, err := v.preview(ctx, lookout.Edited{Before: u, After: after})
	if err != nil {
		p.Notes = append(p.Notes, "what would come of it is not known: "+redact.Text(hide(err.Error())))
		return
	}
	p.Plan = &plan
}

// preview says what would come of a resource as it was edited.
func (v *visit) preview(ctx context.Context, e lookout.Edited) (preview.View, error) {
	l, err := lookout.Open(ctx, lookout.Options{
		Config: v.config, Reader: v.Reader, System: v.options.System, ProxyOnly: true, Now: v.options.Now,
	})
	if err != nil {
		return preview.View{}, err
	}
	defer l.Close()
	return l.Preview(ctx, e)
}
