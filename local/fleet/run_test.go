package fleet

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/local/processes"
	"github.com/kn-flink/kn-flink/local/testsuite"
)

// TestASmallFleetIsLookedAt: all of a small fleet is looked at in each interval of the clock, which is short here, and
// nothing is written.
func TestASmallFleetIsLookedAt(t *testing.T) {
	checkout, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := testsuite.Dir(t)
	result, err := Run(t.Context(), Options{
		Dir: dir, Checkout: checkout, N: 60, For: 15 * time.Second,
		Settings: "kubernetes.operator.reconcile.interval: 5 s", Progress: func(what string) { t.Log(what) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if left := processes.Of(dir); len(left) != 0 {
		t.Errorf("processes are left: %v", left)
	}
	p := result.Parts[0]
	if p.Longest.For > 12*time.Second {
		t.Errorf("%s was not looked at for %s, with a tick each 5 s", p.Longest.Resource, p.Longest.For)
	}
	if p.API.Writes != 0 || p.API.All == 0 || p.Usage[observes].RSS == 0 {
		t.Errorf("%d writes, %d requests, %d bytes resident: want none, some, some; %v", p.API.Writes, p.API.All,
			p.Usage[observes].RSS, p.By)
	}
	for what, n := range result.Settling {
		if strings.HasPrefix(what, "reconcile PUT flink") {
			t.Errorf("%d times %s: the fleet was not at rest", n, what)
		}
	}
	t.Logf("\n%s", Table([]Result{result}))
}
