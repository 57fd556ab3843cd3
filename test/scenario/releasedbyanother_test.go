package scenario

import (
	"fmt"
	"testing"

	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// A pass that is held up between the look at its resource and that at its Deployment finds pods of a start that another
// pass has released meanwhile. They are no leftovers: the job goes on.
func TestAStartThatAnotherPassReleases(t *testing.T) {
	for nth := 15; nth <= 40; nth++ {
		t.Run(fmt.Sprintf("before request %d of the change", nth), func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			h.apply("one", application())
			h.apply("two", application(stateful("savepoint")))
			h.untilStable("one")
			h.untilStable("two")
			h.w.Tap.Inject(wire.Fault{Nth: nth, Do: h.secondPass(), Match: func(r wire.Request) bool {
				return r.Agent == "reconcile" && h.status("one").Intent != nil
			}})
			h.edit("one", parallelism(4))
			h.edit("two", parallelism(4))
			h.untilStable("one")
			h.untilStable("two")
			expect(t, "the starts", h.starts("one"), "nothing, nothing")
		})
	}
}
