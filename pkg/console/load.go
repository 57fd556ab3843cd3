package console

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/lookout"
	"github.com/kn-flink/kn-flink/pkg/redact"
	"github.com/kn-flink/kn-flink/pkg/view"
)

// loadedFor is how long what Flink said is shown before it is asked again, whoever looks.
const loadedFor = 5 * time.Second

// Load is the page of what Flink says of a job now.
type Load struct {
	view.Load `json:",inline"`
	// Unreadable says what could not be read.
	Unreadable []string `json:"unreadable,omitempty"`
}

// readLoad asks Flink for the figures of a job: this page alone does, so no other asks Flink.
func readLoad(ctx context.Context, v *visit) (shown, error) {
	u, err := v.object(ctx)
	if err != nil {
		return shown{}, err
	}
	if kind, _ := kinds.Of(u.GetKind()); !kind.Counted || v.config == nil {
		return shown{}, &problem{
			http.StatusNotFound, "There are no figures", "A " + u.GetKind() + " has no JobManager to ask.",
		}
	}
	now := func() time.Time { return v.now }
	page, err := share(v.shared, sharedKey{v.key, "load " + string(u.GetUID())}, now, loadedFor, func() (Load, error) {
		l, err := lookout.Open(ctx, lookout.Options{
			Config: v.config, Reader: v.Reader, System: v.options.System, ProxyOnly: true, Now: v.options.Now,
		})
		if err != nil {
			return Load{}, err
		}
		defer l.Close()
		loads := l.Loads(ctx, []*unstructured.Unstructured{u})
		hide := view.SecretsOf(u).Text
		loads[0].Why = redact.Text(hide(loads[0].Why))
		return Load{loads[0], l.Unreadable()}, nil
	})
	return shown{title: "Load of " + u.GetName(), view: page}, err
}

// Bottleneck is the vertex that is busiest; empty where Flink does not say.
func (l Load) Bottleneck() string {
	most, id := 0.0, ""
	for _, v := range l.Vertices {
		if v.Busy != nil && *v.Busy > most {
			most, id = *v.Busy, v.ID
		}
	}
	return id
}

// percentOf is a share as a text; "-" when it is not known.
func percentOf(share *float64) string {
	if share == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", *share*100)
}

// rateOf is a rate as a text; "-" when it is not known.
func rateOf(rate *float64) string {
	if rate == nil {
		return "-"
	}
	return figureOf(model.Rate(*rate))
}
