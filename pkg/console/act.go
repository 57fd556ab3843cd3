package console

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/act"
	"github.com/kn-flink/kn-flink/pkg/redact"
	"github.com/kn-flink/kn-flink/pkg/view"
	"github.com/kn-flink/kn-flink/pkg/view/edit"
)

// maxBody is how many bytes of a form are read.
const maxBody = 1 << 20

// form is the one of a change of a resource as it is now.
func (v *visit) form(b verb, u *unstructured.Unstructured, params url.Values) *Form {
	f := Form{Version: u.GetResourceVersion(), UID: string(u.GetUID())}
	f.Token = v.token(b, params, f)
	return &f
}

// token is what only this console makes, for this user: of the change, with all that was said for it, and of the
// resource at its version.
func (v *visit) token(b verb, params url.Values, f Form) string {
	sum := hmac.New(sha256.New, []byte(v.secret))
	parts := []string{"kn-flink-console", v.PathValue("namespace"), v.PathValue("kind"), v.PathValue("name"), b.name}
	asks, _ := b.said(params)
	for _, a := range asks {
		parts = append(parts, a.Name, a.Value)
	}
	for _, part := range append(parts, f.UID, f.Version) {
		sum.Write([]byte(part))
		sum.Write([]byte{0})
	}
	return hex.EncodeToString(sum.Sum(nil))
}

var (
	errSecondStep  = errors.New("this has a second step, which kn flink makes when the first has come to its end")
	errNoSnapshots = errors.New("the cluster has no FlinkStateSnapshot: apply the CRDs of this version")
)

// errPlanAgain is the answer to a form that is not of the newest plan.
func errPlanAgain(why string) error {
	return &problem{
		http.StatusConflict, "Plan again", why + " Nothing was changed. Go back, reload the plan, and decide anew.",
	}
}

// takes is whether a path takes a POST: a plan of an edit, and a change where changes are on.
func (c *console) takes(path string) bool {
	parts := strings.Split(path, "/")
	const ofAResource = 6 // "", ns, its namespace, kind, name and the last
	if len(parts) != ofAResource || parts[1] != "ns" {
		return false
	}
	_, known := verbOf(parts[ofAResource-1])
	return parts[ofAResource-1] == "plan" || known && c.Actions
}

// post reads a form that a page of the console sent, and hands it on. First match wins:
//
//	the request                          answer
//	was made by a page of another site   403
//	is no form, or larger than 1 MB      400
//	names what is no name                404
//	comes from a caller that is unknown  401
func (c *console) post(w http.ResponseWriter, r *http.Request, then func(context.Context, *visit) error) {
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		c.fail(w, r, &problem{
			http.StatusForbidden, "Another site may not act", "The request was made by a page of another site.",
		})
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if err := r.ParseForm(); err != nil ||
		!strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		c.fail(w, r, &problem{http.StatusBadRequest, "This is no form", "The console reads forms of 1 MB at most."})
		return
	}
	c.enter(w, r, func(caller Caller) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), plannedTime)
		defer cancel()
		if err := then(ctx, c.visit(r, caller)); err != nil {
			c.fail(w, r, err)
		}
	})
}

// act makes the change of a form, and leads to the page of the resource.
func (c *console) act(w http.ResponseWriter, r *http.Request) {
	c.post(w, r, func(ctx context.Context, v *visit) error {
		at, err := v.make(ctx)
		if err == nil {
			http.Redirect(w, r, at, http.StatusSeeOther)
		}
		return err
	})
}

// make makes the change that was planned, and gives the page that shows it. First match wins:
//
//	the form, or the resource                      then
//	has not the token of its plan                  plan again
//	is not as it was when it was planned           plan again
//	comes from a GitOps tool                       refused: its manifest is to be changed
//	gives state up, and its name is not typed      refused
//	-                                              made, if it is still of that version
func (v *visit) make(ctx context.Context) (string, error) {
	b, known := verbOf(v.PathValue("verb"))
	if !known || !v.options.Actions {
		return "", &problem{http.StatusNotFound, "There is no such change", v.PathValue("verb")}
	}
	f := Form{Version: v.PostForm.Get("version"), UID: v.PostForm.Get("uid")}
	if !hmac.Equal([]byte(v.PostForm.Get("token")), []byte(v.token(b, v.PostForm, f))) {
		return "", errPlanAgain("The form is not one of a plan of yours.")
	}
	u, err := v.object(ctx)
	if err != nil {
		return "", err
	}
	if f.UID != string(u.GetUID()) || f.Version != u.GetResourceVersion() {
		return "", errPlanAgain(u.GetName() + " was changed since the plan was made.")
	}
	made, err := v.change(ctx, b, u, v.PostForm)
	if err != nil {
		return "", cannot(u, err)
	}
	if owner := edit.Owner(u); owner != "" && !made.Beside {
		return "", &problem{
			http.StatusForbidden, "It comes from " + owner, "That tool would take the change back: change the manifest. " +
				"Nothing was changed.",
		}
	}
	if made.GivesUp != "" && strings.TrimSpace(v.PostForm.Get("confirm")) != u.GetName() {
		return "", &problem{http.StatusBadRequest, "Type the name", "The change gives something up: " +
			redact.Text(view.SecretsOf(u).Text(made.GivesUp)) + ". Type " + u.GetName() + " to make it. Nothing was changed."}
	}
	return v.carryOut(ctx, u, made)
}

// carryOut writes a change.
func (v *visit) carryOut(ctx context.Context, u *unstructured.Unstructured, made change) (string, error) {
	at := address(u.GetNamespace(), view.RowOf(u).Ref)
	switch {
	case made.Nothing:
		return at, nil
	case made.After != nil:
		return "", cannot(u, errSecondStep)
	case made.snapshot == nil:
		_, err := act.Change(ctx, v.Reader, u, made.Edit, false)
		if apierrors.IsConflict(err) {
			err = errPlanAgain(u.GetName() + " was changed since the plan was made.")
		}
		return at, err
	}
	there, _, err := act.Begin(ctx, v.Reader, made.snapshot, false)
	switch {
	case err != nil:
		return "", err
	case there == nil:
		return "", cannot(u, errNoSnapshots)
	}
	return address(there.GetNamespace(), view.RowOf(there).Ref), nil
}
