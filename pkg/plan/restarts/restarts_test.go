package restarts_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/restarts"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// TestAJobThatFailsAtOnce restarts it as soon as it is due, for as long as it takes to see the pauses.
func TestAJobThatFailsAtOnce(t *testing.T) {
	var so *v1beta1.Restarts
	now := noon
	for i, want := range []time.Duration{0, 10, 20, 40, 80, 160, 320, 600, 600, 600} {
		due := restarts.Due(so, now)
		if due.IsZero() {
			due = now
		}
		if got := due.Sub(now); got != want*time.Second {
			t.Errorf("restart %d is %s after the one before, want %s", i+1, got, want*time.Second)
		}
		now = due
		so = restarts.Count(so, v1beta1.PurposeRecover, metav1.NewTime(now))
	}
	if so.InARow != 10 {
		t.Errorf("%d in a row", so.InARow)
	}
}

func TestWhatBeginsAnew(t *testing.T) {
	many := &v1beta1.Restarts{InARow: 7, Last: metav1.NewTime(noon)}
	later := noon.Add(30 * time.Minute)
	if due := restarts.Due(many, later); !due.IsZero() {
		t.Errorf("a job that ran for half an hour is restarted at %s", due)
	}
	if so := restarts.Count(many, v1beta1.PurposeRecover, metav1.NewTime(later)); so.InARow != 1 {
		t.Errorf("a job that ran for half an hour has had %d restarts in a row", so.InARow)
	}
	if so := restarts.Count(many, v1beta1.PurposeUpgrade, metav1.NewTime(noon)); so != nil {
		t.Errorf("an upgrade leaves %+v", so)
	}
}
