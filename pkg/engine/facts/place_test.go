package facts

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// place is a host of which a test says what there is to see.
type place struct {
	*guesttest.Guest
	data                     hadata.Data
	ready                    time.Time
	standing                 world.Standing
	neverRan, unasked, stays bool
	silent                   string
}

func (p place) HA() hadata.Data                    { return p.data }
func (p place) AvailableAt() metav1.Time           { return metav1.NewTime(p.ready) }
func (p place) Standing() (world.Standing, string) { return p.standing, "" }
func (p place) NeverRan() bool                     { return p.neverRan }
func (p place) CanBeAsked() bool                   { return !p.unasked }
func (p place) BringsBack() bool                   { return !p.stays }
func (p place) SilentNode() string                 { return p.silent }

// lifeAt is the life of a job at a place.
func lifeAt(t *testing.T, at place, change func(s *world.Seen)) *world.Look {
	t.Helper()
	v := guesttest.NewLife(t, change)
	at.Guest = &guesttest.Guest{Look: v}
	v.Host = at
	return v
}

// keepsData turns high availability on, in Kubernetes, for the spec and for what was deployed.
func keepsData(t *testing.T, s *world.Seen) {
	t.Helper()
	const on = `"high-availability.type":"kubernetes","high-availability.storageDir":"file:///h"`
	guesttest.Optioned(t, s, on, on)
}

// names is what a cluster keeps of a job, with or without a checkpoint.
func names(job string, checkpoint bool) hadata.Data {
	return hadata.Data{
		Store: hadata.Store{Mode: flinkconf.HAKubernetes}, JobID: job,
		ConfigMaps: plan.Present([]hadata.ConfigMap{{
			ObjectVersion: plan.ObjectVersion{Name: "demo-" + job + "-config-map"}, Checkpoint: checkpoint,
		}}),
	}
}

// moved is the newest generation of the spec, with a change.
func moved(s *world.Seen, change func(*v1beta1.FlinkDeploymentSpec)) {
	s.Resource.Generation++
	change(&s.Resource.Spec)
}
