package deployment

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
)

// What the code of a job says may be personal data: an installation, or one namespace of it, may have classes told
// alone.
func TestOnlyClassesOfExceptionsAreTold(t *testing.T) {
	const option = "kubernetes.operator.exception.messages"
	for name, comes := range map[string]func(w *fixture){
		"the cause of a failure": func(w *fixture) {
			w.serveJob(v1beta1.FlinkJobFailed)
			w.s.Flink.Failure = plan.Present("IllegalStateException: user 4711 <- RuntimeException: card 4711")
		},
		"a failure in the job's history": func(w *fixture) {
			w.s.Flink.Exceptions = plan.Present([]exceptions.Entry{{
				At: w.s.Now, StackTrace: "x.IllegalStateException: user 4711\n\tat a.B.c(B.java:1)",
			}})
		},
		"a savepoint that fails": func(w *fixture) {
			w.edit(upgradeImage)
			w.run()
			w.stopWith(world.StopProgress{State: world.StopFailed, Cause: "IllegalStateException: user 4711"})
			w.run()
		},
		"what the log of a JobManager ends with": func(w *fixture) {
			w.crashes()
			w.s.CrashCause = plan.Present("IllegalStateException: user 4711")
		},
	} {
		for _, row := range []struct {
			options flinkconf.Config
			hidden  bool
		}{
			{nil, false},
			{flinkconf.Config{option: "class-only"}, true},
			{flinkconf.Config{
				"kubernetes.operator.default-configuration.namespace." + "default" + "." + option: "class-only",
			}, true},
		} {
			w := stable(t, stateful)
			w.events, w.s.Operator = nil, flinkconf.NewOperator(row.options)
			comes(w)
			w.run()
			told := w.tells()
			if !strings.Contains(told, "IllegalStateException") || strings.Contains(told, "4711") == row.hidden {
				t.Errorf("%s, %v: hidden should be %v: %s", name, row.options, row.hidden, told)
			}
		}
	}
}
