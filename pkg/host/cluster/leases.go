package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// Whether a JobManager on a node that does not answer still leads shows in its lease: it has run out when it did not
// change between two looks that are far enough apart by our own clock, as the leader election of client-go has it. The
// times in it are by the clock of that node, which may be behind or ahead by any time.

// leaseMargin is added to the time that a lease lasts: its holder may notice late that it could not renew it.
const leaseMargin = time.Minute

// leasesFirst is how long before the clean-up timeout leases are looked at first, so that the second look is made when
// it is over.
const leasesFirst = 2 * time.Minute

// LooksAtLeases reports whether the old cluster takes so long to end that the leases of its JobManagers are looked at.
func LooksAtLeases(v *Cluster) bool {
	return TakedownAge(v) > v.Look.Options.CleanupTimeout()-leasesFirst
}

// Leases are those in the high-availability data of one look.
type Leases []hadata.ConfigMap

// Of stands for them; empty when none is held.
func (l Leases) Of() string {
	var all []string
	for _, c := range l {
		if lease, held := c.Leader.Get(); held {
			all = append(all, fmt.Sprintf("%s %s %q %q", c.Name, c.UID, lease.Holder, lease.Renewed))
		}
	}
	if len(all) == 0 {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join(all, "\n")))
	return hex.EncodeToString(sum[:])
}

// Lasts is for how long they have to stay as they are until they have run out.
func (l Leases) Lasts() time.Duration {
	var longest time.Duration
	for _, c := range l {
		if lease, held := c.Leader.Get(); held {
			longest = max(longest, lease.Lasts)
		}
	}
	return longest + leaseMargin
}

// Held says which lease may still be held; empty when none is. Before is how they were seen before; nil means never.
func (l Leases) Held(before *v1beta1.Leases, now time.Time) string {
	if before != nil && before.Of == l.Of() && now.Sub(before.Since.Time) > l.Lasts() {
		return ""
	}
	for _, c := range l {
		if c.Leader.IsPresent() {
			return fmt.Sprintf("a JobManager may still renew its lease in ConfigMap %s", c.Name)
		}
	}
	return ""
}
