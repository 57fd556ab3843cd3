package sweep

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// ticks looks at a resource every two seconds for a minute, whose pass is never done, and tells in which of them one
// was asked for. Something may happen before each look.
func (f *fleetOf) ticks(t *testing.T, before func(second int)) (asked []int) {
	t.Helper()
	for second := 0; second < 60; second += 2 {
		before(second)
		u := f.kube.Get(kubesim.FlinkDeployments, "flink", "demo-0000")
		look := f.lookAtDeployments(t.Context(), "flink", &unstructured.UnstructuredList{})
		if err := look(t.Context(), u); err != nil && !errors.Is(err, errRefused) {
			t.Fatal(err)
		}
		if n := len(f.mail.take(event.TypePassRequested)); n > 0 {
			asked = append(asked, second)
		}
		f.kube.Clock.Advance(2 * time.Second)
	}
	return asked
}

func TestAPassIsNotAskedForWhileOneMayBeOnItsWay(t *testing.T) {
	rows := map[string]struct {
		before func(t *testing.T, f *fleetOf, second int)
		want   []int
	}{
		"it is not done": {func(*testing.T, *fleetOf, int) {}, []int{0, 4, 10, 22, 34, 46, 58}},
		"the resource changes": {func(t *testing.T, f *fleetOf, second int) {
			if second == 18 {
				f.change(t)
			}
		}, []int{0, 4, 10, 18, 22, 28, 40, 52}},
		"another pod looks": {func(_ *testing.T, f *fleetOf, second int) {
			if second == 12 {
				f.asked = asked{}
			}
		}, []int{0, 4, 10, 12, 16, 22, 34, 46, 58}},
		"the Broker refuses the request": {func(_ *testing.T, f *fleetOf, second int) {
			f.Control = f.mail
			if second == 4 {
				f.Control = refusing{}
			}
		}, []int{0, 6, 10, 16, 28, 40, 52}},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t, 1)
			got := f.ticks(t, func(second int) { row.before(t, f, second) })
			if !slices.Equal(got, row.want) {
				t.Errorf("asked for it after %d s, want %d", got, row.want)
			}
		})
	}
}

// change writes a status that leaves the same to be done.
func (f *fleetOf) change(t *testing.T) {
	t.Helper()
	status := map[string]any{"pace": string(v1beta1.PaceFast)}
	if _, err := f.kube.UpdateStatus(kubesim.FlinkDeployments, "flink", "demo-0000", status); err != nil {
		t.Fatal(err)
	}
}

// refusing takes no event.
type refusing struct{}

var errRefused = errors.New("on purpose")

func (refusing) Publish(context.Context, cloudevents.Event) error { return errRefused }

func TestWhatWasAskedForIsForgotten(t *testing.T) {
	now, all := time.Now(), &asked{}
	all.due(event.Key{Name: "old"}, question{}, now)
	all.due(event.Key{Name: "new"}, question{}, now.Add(askedFor))
	all.forget(now.Add(askedFor + time.Second))
	if _, stays := all.last[event.Key{Name: "new"}]; len(all.last) != 1 || !stays {
		t.Errorf("after %s: %v", askedFor, all.last)
	}
}
