package bluegreen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
)

// gate is a condition on a target that is configured.
type gate struct {
	name string
	// judge completes what the gate says now; earlier is what it said before, zero at first.
	judge judges
}

// judges says what a gate says now; earlier is what it said before, zero at first.
type judges func(v *view, earlier v1beta1.BlueGreenGate, said *v1beta1.BlueGreenGate)

// gates are the gates that are configured.
//
//	gate             option                           passes                           refuses           else waits
//	checkpoints      gate.checkpoints > 0             that many are completed          -
//	restarts         gate.max-restarts                no more than that                more
//	lag              gate.max-lag, lag-not-growing    for the whole window             -
//	errors           gate.max-error-rate              records were sent, the share     the share is
//	                                                  is no greater                    greater
//	prometheus       gate.prometheus-query            samples, none of them 0          -
//	service/<name>   gate.services                    it allows                        it refuses
//	approval         gate.approval                    annotation promote is of the     -
//	                                                  transition
func (v *view) gates(t v1beta1.BlueGreenTransition) []gate {
	c := v.config()
	var all []gate
	if n := int64(options.Int(c, key.GateCheckpoints)); n > 0 {
		all = append(all, gate{"checkpoints", checkpointsGate(n)})
	}
	if c.Has(key.GateMaxRestarts) {
		all = append(all, gate{"restarts", restartsGate(int64(options.Int(c, key.GateMaxRestarts)))})
	}
	if c.Has(key.GateMaxLag) || options.Bool(c, key.GateLagNotGrowing) {
		all = append(all, gate{"lag", lagGate(c)})
	}
	if c.Has(key.GateMaxErrorRate) {
		all = append(all, gate{"errors", errorsGate(options.Read(c.Float, key.GateMaxErrorRate, 0))})
	}
	if c.Has(key.GatePrometheusQuery) {
		all = append(all, gate{"prometheus", prometheusGate})
	}
	for _, name := range gateServices(c) {
		all = append(all, gate{"service/" + name, serviceGate(name)})
	}
	if options.Bool(c, key.GateApproval) {
		all = append(all, gate{"approval", approvalGate(t)})
	}
	return all
}

// gateServices are the names of the services that a configuration asks, sorted.
func gateServices(c flinkconf.Config) []string {
	names, _ := c.List(key.GateServices) // validation refuses what cannot be read
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return strings.TrimSpace(name) == "" })
	slices.Sort(names)
	return slices.Compact(names)
}

func says(said *v1beta1.BlueGreenGate, verdict v1beta1.BlueGreenVerdict, format string, values ...any) {
	said.Verdict, said.Message = verdict, fmt.Sprintf(format, values...)
}

// number shows a number that was measured; false where it is not known, and the gate waits.
func number(said *v1beta1.BlueGreenGate, seen plan.Observed[int64], what string) (int64, bool) {
	n, known := seen.Get()
	if !known {
		says(said, v1beta1.BlueGreenWaiting, "the %s is not known: %s", what, seen.Why())
		return 0, false
	}
	said.Value = strconv.FormatInt(n, 10)
	return n, true
}

func checkpointsGate(n int64) judges {
	return func(v *view, _ v1beta1.BlueGreenGate, said *v1beta1.BlueGreenGate) {
		completed, known := number(said, v.Gates.Checkpoints, "number of checkpoints")
		if !known {
			return
		}
		verdict := v1beta1.BlueGreenPassed
		if completed < n {
			verdict = v1beta1.BlueGreenWaiting
		}
		says(said, verdict, "%d of %d checkpoints are completed", completed, n)
	}
}

func restartsGate(most int64) judges {
	return func(v *view, _ v1beta1.BlueGreenGate, said *v1beta1.BlueGreenGate) {
		restarts, known := number(said, v.Gates.Restarts, "number of restarts")
		if !known {
			return
		}
		verdict := v1beta1.BlueGreenPassed
		if restarts > most {
			verdict = v1beta1.BlueGreenRefused
		}
		says(said, verdict, "the job restarted %d times, and may %d times", restarts, most)
	}
}

// lagGate judges the records that are pending. The window begins anew when the lag is above the limit, and when it has
// grown.
func lagGate(c flinkconf.Config) judges {
	limited, limit := c.Has(key.GateMaxLag), int64(options.Int(c, key.GateMaxLag))
	growing, window := options.Bool(c, key.GateLagNotGrowing), options.Duration(c, key.GateLagWindow)
	return func(v *view, earlier v1beta1.BlueGreenGate, said *v1beta1.BlueGreenGate) {
		if v.Gates.Lag.IsAbsent() {
			says(said, v1beta1.BlueGreenWaiting, "no source of the job has the metric pendingRecords")
			return
		}
		lag, known := number(said, v.Gates.Lag, "lag")
		if !known {
			return
		}
		if limited && lag > limit {
			says(said, v1beta1.BlueGreenWaiting, "%d records are pending, and at most %d may be", lag, limit)
			return
		}
		said.Window = earlier.Window
		if said.Window == nil || growing && lag > said.Window.Lag {
			said.Window = &v1beta1.BlueGreenWindow{Since: metav1.NewTime(v.now()), Lag: lag}
		}
		if over := said.Window.Since.Add(window); v.now().Before(over) {
			says(said, v1beta1.BlueGreenWaiting, "%d records are pending, and that is watched until %s UTC", lag,
				over.UTC().Format(time.TimeOnly))
			return
		}
		says(
			said,
			v1beta1.BlueGreenPassed,
			"%d records are pending, %d at the beginning of %s",
			lag,
			said.Window.Lag,
			window,
		)
	}
}

func errorsGate(most float64) judges {
	return func(v *view, _ v1beta1.BlueGreenGate, said *v1beta1.BlueGreenGate) {
		sent, known := v.Gates.Sent.Get()
		switch {
		case v.Gates.Sent.IsAbsent():
			says(said, v1beta1.BlueGreenWaiting, "no sink of the job has the metric numRecordsSend")
			return
		case !known:
			says(said, v1beta1.BlueGreenWaiting, "the errors are not known: %s", v.Gates.Sent.Why())
			return
		case sent.Records == 0 && sent.Errors == 0:
			says(said, v1beta1.BlueGreenWaiting, "no record was sent yet")
			return
		}
		rate := float64(sent.Errors) / float64(max(sent.Records, sent.Errors))
		said.Value = strconv.FormatFloat(rate, 'g', 3, 64)
		verdict := v1beta1.BlueGreenPassed
		if rate > most {
			verdict = v1beta1.BlueGreenRefused
		}
		says(
			said,
			verdict,
			"%d of %d records that were sent failed, and a share of %g may",
			sent.Errors,
			sent.Records,
			most,
		)
	}
}

func prometheusGate(v *view, _ v1beta1.BlueGreenGate, said *v1beta1.BlueGreenGate) {
	samples, known := v.Gates.Query.Get()
	if !known {
		says(said, v1beta1.BlueGreenWaiting, "the query was not answered: %s", v.Gates.Query.Why())
		return
	}
	if len(samples) == 0 {
		says(said, v1beta1.BlueGreenWaiting, "the query gives no sample")
		return
	}
	said.Value = strconv.FormatFloat(samples[0], 'g', 6, 64)
	for _, value := range samples {
		if value == 0 || value != value {
			said.Value = strconv.FormatFloat(value, 'g', 6, 64)
			says(said, v1beta1.BlueGreenWaiting, "the query gives %s", said.Value)
			return
		}
	}
	says(said, v1beta1.BlueGreenPassed, "the query gives %d samples, none of them 0", len(samples))
}

func serviceGate(name string) judges {
	return func(v *view, _ v1beta1.BlueGreenGate, said *v1beta1.BlueGreenGate) {
		service, asked := v.Gates.Services[name]
		refusal, answered := service.Get()
		switch {
		case !asked:
			says(
				said,
				v1beta1.BlueGreenWaiting,
				"the installation has no option %s%s.url for this namespace",
				key.GatePrefix,
				name,
			)
		case !answered:
			says(said, v1beta1.BlueGreenWaiting, "it was not answered: %s", service.Why())
		case refusal != "":
			says(said, v1beta1.BlueGreenRefused, "%s", refusal)
		default:
			says(said, v1beta1.BlueGreenPassed, "it allows the new side to serve")
		}
	}
}

func approvalGate(t v1beta1.BlueGreenTransition) judges {
	return func(v *view, _ v1beta1.BlueGreenGate, said *v1beta1.BlueGreenGate) {
		if v.Resource.Annotations[v1beta1.AnnotationPromote] == t.OperationID {
			says(said, v1beta1.BlueGreenPassed, "a user has approved it")
			return
		}
		says(
			said,
			v1beta1.BlueGreenWaiting,
			"a user decides: kubectl annotate --overwrite flinkbluegreendeployment %s -n %s %s=%s",
			v.Resource.Name,
			v.Resource.Namespace,
			v1beta1.AnnotationPromote,
			t.OperationID,
		)
	}
}
