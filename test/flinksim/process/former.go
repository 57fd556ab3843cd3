package process

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
)

// Live are the IDs of the jobs of this name in a cluster that have not ended.
func (f *Flink) Live(namespace, id, name string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var live []string
	for _, jm := range f.inOrder() {
		for _, j := range jm.jobs {
			if jm.Cluster == (types.NamespacedName{Namespace: namespace, Name: id}) && j.Name == name && !j.State.Ended() {
				live = append(live, j.ID)
			}
		}
	}
	return live
}

// cameBack reports whether one of two live jobs is a former one that high availability has just brought back: nobody
// can keep that from a JobManager that had not stored its end. It has to be ended soon.
func (f *Flink) cameBack(one, other *job.Job) bool {
	for _, j := range []*job.Job{one, other} {
		if !f.ended[j.ID] || one.ID == other.ID {
			continue
		}
		if f.back[j.ID].IsZero() {
			f.back[j.ID] = f.kube.Clock.Now()
		}
		if f.kube.Clock.Now().Sub(f.back[j.ID]) < soon {
			return true
		}
	}
	return false
}

// soon is within a few looks of the slowest clock.
const soon = 30 * time.Minute
