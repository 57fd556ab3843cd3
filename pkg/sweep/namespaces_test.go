package sweep

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/clock"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// newTenants is an observer that watches so many namespaces by their names, each with so many resources.
func newTenants(t *testing.T, namespaces, resources int, status map[string]any) *fleetOf {
	t.Helper()
	f := newFleet(t, 0)
	for n := range namespaces {
		namespace := fmt.Sprintf("tenant-%02d", n)
		f.kube.AddNamespace(namespace)
		f.Namespaces = append(f.Namespaces, namespace)
		for i := range resources {
			u := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": v1beta1.APIVersion, "kind": v1beta1.KindFlinkDeployment,
				"metadata": map[string]any{"namespace": namespace, "name": fmt.Sprintf("demo-%d", i)},
				"spec":     map[string]any{"flinkVersion": "v1_20"},
			}}
			if _, err := f.kube.Create(kubesim.FlinkDeployments, u); err != nil {
				t.Fatal(err)
			}
			if _, err := f.kube.UpdateStatus(kubesim.FlinkDeployments, namespace, u.GetName(), status); err != nil {
				t.Fatal(err)
			}
		}
	}
	f.Watches = func(namespace string) bool { return slices.Contains(f.Namespaces, namespace) }
	return f
}

func TestASweepListsEachNamespaceOnce(t *testing.T) {
	for _, pace := range []v1beta1.Pace{v1beta1.PaceSlow, v1beta1.PaceFast} {
		t.Run(string(pace), func(t *testing.T) {
			f := newTenants(t, 50, 10, map[string]any{"situation": "Waiting", "pace": string(pace)})
			if err := f.Tick(t.Context()); err != nil {
				t.Fatal(err)
			}
			if n := f.tap.Count(wire.On("list", "deployments")); n != 50 {
				t.Errorf("the sweep listed Deployments %d times, want once for each of 50 namespaces", n)
			}
			f.tap.Forget()
			if err := f.lookFast(t); err != nil {
				t.Fatal(err)
			}
			if n := f.tap.Count(wire.On("list", "deployments")); n > 50 {
				t.Errorf("a fast tick listed Deployments %d times, want at most once for each of 50 namespaces", n)
			}
		})
	}
}

func (f *fleetOf) lookFast(t *testing.T) error {
	t.Helper()
	_, err := f.lookAtFast(t.Context())
	return err
}

func TestAForbiddenNamespaceHoldsUpNoOther(t *testing.T) {
	f := newTenants(
		t, 3, 2, map[string]any{"situation": "Waiting", "pace": "slow", "jobManagerDeploymentStatus": "READY"},
	)
	core, logged := observer.New(zap.WarnLevel)
	f.Log = zap.New(core).Sugar()
	f.tap.Inject(wire.Fault{Match: func(r wire.Request) bool {
		return r.Verb == "list" &&
			r.Namespace == "tenant-01"
	}, Status: 403})
	if err := f.Clock.Wake(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 60 { // two minutes at the pace of a transition
		f.kube.Clock.Advance(2 * time.Second)
		if err := f.Tick(t.Context()); err != nil {
			t.Fatalf("a tick failed, which only brings it again: %v", err)
		}
	}
	if asked := strings.Join(f.mail.subjects(), " "); strings.Contains(asked, "tenant-01") ||
		!strings.Contains(asked, "tenant-00") || !strings.Contains(asked, "tenant-02") {
		t.Errorf("passes were asked for of %s, want those of tenant-00 and tenant-02", asked)
	}
	if f.pace() != clock.Steady {
		t.Errorf("pace %s, want steady, as the others need", f.pace())
	}
	var told int
	for _, line := range logged.All() {
		if line.ContextMap()["namespace"] == "tenant-01" {
			told++
		}
	}
	if told < 2 || told > 3 {
		t.Errorf("told %d times in two minutes, want once a minute", told)
	}
}

func TestAForbiddenFleetIsAnError(t *testing.T) {
	f := newFleet(t, 1)
	f.tap.Inject(wire.Fault{Match: wire.On("list", "flinkdeployments"), Status: 403})
	if err := f.Tick(t.Context()); err == nil {
		t.Error("want an error: nothing at all is looked after")
	}
}

func TestASweepLeavesAloneWhatIsNotSelected(t *testing.T) {
	for _, resources := range []int{3, pageSize + 3} { // what is not selected fills no page, either
		f := newFleet(t, resources)
		f.Labels = "team in (a)"
		for i, team := range []string{"a", "b"} {
			if _, err := f.kube.Update(kubesim.FlinkDeployments, "flink", fmt.Sprintf("demo-%04d", i),
				func(u *unstructured.Unstructured) { u.SetLabels(map[string]string{"team": team}) }); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
		if asked := strings.Join(f.mail.subjects(), " "); asked != "flink/FlinkDeployment/demo-0000" {
			t.Errorf("%d resources: passes were asked for of %q, want that of team a", resources, asked)
		}
	}
}

func TestAShardLeavesAloneWhatIsNotSelected(t *testing.T) {
	f := newFleet(t, 2)
	f.Labels = "team"
	page := event.Shard{Kind: v1beta1.KindFlinkDeployment, Namespace: "flink", Limit: 10}
	if err := f.Shard(t.Context(), page); err != nil {
		t.Fatal(err)
	}
	if asked := f.mail.subjects(); len(asked) != 0 {
		t.Errorf("passes were asked for of %q, want none", asked)
	}
}

// A forged page reads nothing that no sweep of this installation asks for.
func TestAShardReadsWatchedNamespacesAndPagesOnly(t *testing.T) {
	rows := map[string]struct {
		page    event.Shard
		watched []string
		refused bool
	}{
		"a page":         {event.Shard{Namespace: "flink", Limit: 200}, nil, false},
		"all namespaces": {event.Shard{Limit: 200}, nil, false},
		"all, of an installation that watches one": {event.Shard{Limit: 200}, []string{"flink"}, true},
		"another namespace": {
			event.Shard{Namespace: "kube-system", Limit: 1}, []string{"flink"}, true,
		},
		"no limit":                    {event.Shard{Namespace: "flink"}, nil, true},
		"a limit below zero":          {event.Shard{Namespace: "flink", Limit: -1}, nil, true},
		"a large limit":               {event.Shard{Namespace: "flink", Limit: 1e9}, nil, true},
		"finished, of all namespaces": {event.Shard{Finished: true}, []string{"flink"}, true},
		"finished":                    {event.Shard{Finished: true}, nil, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t, 2)
			f.Namespaces, f.Watches = row.watched, settings.Settings{Namespaces: row.watched}.Watches
			row.page.Kind = v1beta1.KindFlinkDeployment
			err := f.Shard(t.Context(), row.page)
			if (err != nil) != row.refused || row.refused && fail.KindOf(err) != fail.Invalid {
				t.Errorf("%v, want refused as Invalid: %v", err, row.refused)
			}
		})
	}
}
