package tell_test

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
)

// What the code of a job says may be personal data: an installation, or one namespace of it, may have classes told
// alone.
func TestOnlyClassesOfExceptionsAreTold(t *testing.T) {
	const option = "kubernetes.operator.exception.messages"
	for name, comes := range map[string]func(w *enginetest.Deployment){
		"the cause of a failure": func(w *enginetest.Deployment) {
			w.ServeJob(v1beta1.FlinkJobFailed)
			w.Snapshot.Flink.Failure = plan.Present("IllegalStateException: user 4711 <- RuntimeException: card 4711")
		},
		"a failure in the job's history": func(w *enginetest.Deployment) {
			w.Snapshot.Flink.Exceptions = plan.Present([]exceptions.Entry{{
				At: w.Snapshot.Now, StackTrace: "x.IllegalStateException: user 4711\n\tat a.B.c(B.java:1)",
			}})
		},
		"a savepoint that fails": func(w *enginetest.Deployment) {
			w.Edit(enginetest.UpgradeImage)
			w.Run()
			w.StopWith(world.StopProgress{State: world.StopFailed, Cause: "IllegalStateException: user 4711"})
			w.Run()
		},
		"what the log of a JobManager ends with": func(w *enginetest.Deployment) {
			crashes(w)
			w.Snapshot.CrashCause = plan.Present("IllegalStateException: user 4711")
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
			w := enginetest.Stable(t, enginetest.Stateful)
			w.Events, w.Snapshot.Operator = nil, flinkconf.NewOperator(row.options)
			comes(w)
			w.Run()
			told := tells(w)
			if !strings.Contains(told, "IllegalStateException") || strings.Contains(told, "4711") == row.hidden {
				t.Errorf("%s, %v: hidden should be %v: %s", name, row.options, row.hidden, told)
			}
		}
	}
}
