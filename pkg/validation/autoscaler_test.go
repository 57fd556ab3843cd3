package validation_test

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/validation"
)

const autoscaler = "job.autoscaler."

// scaled turns the autoscaler on and sets its options, keys without prefix.
func scaled(pairs ...string) func(*input) {
	return func(in *input) {
		in.Spec.FlinkConfiguration = add(in.Spec.FlinkConfiguration, autoscaler+"enabled", "true")
		for i := 0; i < len(pairs); i += 2 {
			in.Spec.FlinkConfiguration = add(in.Spec.FlinkConfiguration, autoscaler+pairs[i], pairs[i+1])
		}
	}
}

// off sets options without turning the autoscaler on.
func off(pairs ...string) func(*input) {
	return func(in *input) {
		scaled(pairs...)(in)
		in.Spec.FlinkConfiguration = without(in.Spec.FlinkConfiguration, autoscaler+"enabled")
	}
}

func outside(key, legal string) []finding {
	return one(
		confPath(autoscaler+key),
		"The AutoScalerOption "+autoscaler+key+" is invalid, it should be a value within the range "+legal,
	)
}

func TestAutoscaler(t *testing.T) {
	const (
		down, up, target, boundary = "scale-down.max-factor", "scale-up.max-factor", "utilization.target",
			"target.utilization.boundary"
		highest, lowest, window     = "utilization.max", "utilization.min", "metrics.window"
		coefficient, coefficientOn  = "observed-scalability.coefficient-min", "observed-scalability.enabled"
		effective, effectiveOn      = "scaling.effectiveness.threshold", "scaling.effectiveness.detection.enabled"
		overhead, tuningOn          = "memory.tuning.overhead", "memory.tuning.enabled"
		pressure, heap              = "memory.gc-pressure.threshold", "memory.heap-usage.threshold"
		positive, share, atLeast001 = "[0.0, +Infinity]", "[0.0, 1.0]", "[0.01, 1.0]"
		reconcileInterval           = "kubernetes.operator.reconcile.interval"
	)
	wrong := []string{
		down, "-1.6", up, "-1.6", target, "-1.6", boundary, "-1.6", highest, "-1.6", lowest, "-1.6", pressure, "-1.6", heap,
		"-1.6", window, "1 s",
	}
	tooShort := one(confPath(autoscaler+window), "The autoscaler metric window ("+autoscaler+window)
	for name, row := range map[string]deploymentRow{
		"defaults": {"they are legal", scaled(), nil},
		"off":      {"nobody reads the options", off(wrong...), nil},
		"off in so many words": {"nobody reads the options", both(scaled(wrong...), func(in *input) {
			in.Spec.FlinkConfiguration = add(in.Spec.FlinkConfiguration, autoscaler+"enabled", "false")
		}), nil},
		"neither on nor off": {"the switch itself is told", scaled("enabled", "maybe", down, "-1"),
			one(confPath(autoscaler+"enabled"), "Invalid value for Flink config key: job.autoscaler.enabled")},
		"on in the old spelling": {"the older spelling counts", both(off(down, "-0.1"), func(in *input) {
			in.Spec.FlinkConfiguration = add(in.Spec.FlinkConfiguration, "kubernetes.operator.job.autoscaler.enabled", "true")
		}), outside(down, positive)},
		"on by default": {
			"defaults count",
			both(off(up, "-0.1"), func(in *input) { in.Operator = operator(autoscaler+"enabled", "true") }),
			outside(up, positive),
		},

		"down -0.1": {"it would be a step up", scaled(down, "-0.1"), outside(down, positive)},
		"down 0":    {"the bound itself", scaled(down, "0"), nil},
		"up -0.1":   {"it would be a step down", scaled(up, "-0.1"), outside(up, positive)},
		"up 1e9":    {"no upper bound", scaled(up, "1e9"), nil},
		"least 0": {
			"no vertex runs with it", scaled("vertex.min-parallelism", "0"),
			outside("vertex.min-parallelism", "[1.0, +Infinity]"),
		},
		"least 1":        {"the bound itself", scaled("vertex.min-parallelism", "1"), nil},
		"target -0.6":    {"no share", scaled(target, "-0.6"), outside(target, share)},
		"target 1.5":     {"no share", scaled(target, "1.5"), outside(target, share)},
		"target 0 and 1": {"the bounds themselves", scaled(target, "1"), nil},
		"boundary -0.1": {
			"it would turn min and max round",
			scaled(boundary, "-0.1"),
			outside(boundary, positive),
		},
		"max -0.6": {"below the target", scaled(highest, "-0.6"), outside(highest, "[0.7, 1.0]")},
		"max 0.6":  {"below the target", scaled(highest, "0.6"), outside(highest, "[0.7, 1.0]")},
		"max 1.1":  {"no share", scaled(highest, "1.1"), outside(highest, "[0.7, 1.0]")},
		"min -0.6": {"no share", scaled(lowest, "-0.6"), outside(lowest, "[0.0, 0.7]")},
		"min 0.8":  {"above the target", scaled(lowest, "0.8"), outside(lowest, "[0.0, 0.7]")},
		"min .3 max .4": {
			"the target lies between",
			scaled(lowest, "0.3", target, "0.5", highest, "0.4"),
			outside(highest, "[0.5, 1.0]"),
		},
		"min .2 max .6": {
			"the target lies between",
			scaled(lowest, "0.2", target, "0.5", highest, "0.6"),
			nil,
		},
		"target in old word": {
			"the older spelling counts",
			scaled("target.utilization", "0.5", highest, "0.6"),
			nil,
		},
		"older key wrong": {"it is told where it stands", scaled("target.utilization", "7"),
			one(confPath(autoscaler+"target.utilization"), "The AutoScalerOption "+autoscaler+target)},
		"two wrong ones": {
			"both are told",
			scaled(down, "-1", heap, "2"),
			append(outside(down, positive), outside(heap, share)...),
		},

		"pressure -0.0001": {"no share", scaled(pressure, "-0.0001"), outside(pressure, share)},
		"pressure 1.0001":  {"no share", scaled(pressure, "1.0001"), outside(pressure, share)},
		"pressure 1":       {"the bound itself", scaled(pressure, "1"), nil},
		"heap -0.0001":     {"no share", scaled(heap, "-0.0001"), outside(heap, share)},
		"heap 1.0001":      {"no share", scaled(heap, "1.0001"), outside(heap, share)},
		"heap 0":           {"the bound itself", scaled(heap, "0.0"), nil},
		"coefficient on": {
			"no coefficient",
			scaled(coefficient, "1.2", coefficientOn, "true"),
			outside(coefficient, atLeast001),
		},
		"coefficient 0.0099": {
			"too small to divide by",
			scaled(coefficient, "0.0099", coefficientOn, "true"),
			outside(coefficient, atLeast001),
		},
		"coefficient 0.01": {
			"the bound itself",
			scaled(coefficient, "0.01", coefficientOn, "true"),
			nil,
		},
		"coefficient off": {"nobody reads it", scaled(coefficient, "1.2"), nil},
		"effectiveness on": {
			"no share",
			scaled(effective, "1.0001", effectiveOn, "true"),
			outside(effective, share),
		},
		"effectiveness -0.0001": {
			"no share",
			scaled(effective, "-0.0001", effectiveOn, "true"),
			outside(effective, share),
		},
		"effectiveness 0":   {"the bound itself", scaled(effective, "0", effectiveOn, "true"), nil},
		"effectiveness off": {"nobody reads it", scaled(effective, "1.0001"), nil},
		"overhead on": {
			"no share",
			scaled(overhead, "1.0001", tuningOn, "true"),
			outside(overhead, share),
		},
		"overhead -0.0001": {
			"no share",
			scaled(overhead, "-0.0001", tuningOn, "true"),
			outside(overhead, share),
		},
		"overhead 1":   {"the bound itself", scaled(overhead, "1", tuningOn, "true"), nil},
		"overhead off": {"nobody reads it", scaled(overhead, "-0.0001", tuningOn, "false"), nil},
		"a switch of no boolean": {
			"it can be neither on nor off",
			scaled(tuningOn, "x", overhead, "7"),
			one(confPath(autoscaler+tuningOn), "Invalid value for Flink config key"),
		},

		"window 30 s":     {"less than two samples", scaled(window, "30 s"), tooShort},
		"window 60 s":     {"the bound itself", scaled(window, "60 s"), nil},
		"window 5 min":    {"enough", scaled(window, "5 min"), nil},
		"window 1 s, off": {"nobody reads it", off(window, "1 s"), nil},
		"window 30 s, interval": {
			"the operator looks more often",
			both(scaled(window, "30 s"), func(in *input) { in.Operator = operator(reconcileInterval, "15 s") }),
			nil,
		},
		"interval in the spec": {"a resource has no say in how often samples are taken", both(scaled(window, "30 s"),
			func(in *input) {
				in.Spec.FlinkConfiguration = add(in.Spec.FlinkConfiguration, reconcileInterval, "15 s")
			}),
			[]finding{
				{confPath(autoscaler + window), "The autoscaler metric window (" + autoscaler + window + "=30 s) must not"},
				{confPath(reconcileInterval), "has no effect"},
			},
		},
		"window soon": {
			"no duration",
			scaled(window, "soon"),
			one(confPath(autoscaler+window), "Invalid value in the autoscaler config "+autoscaler+window),
		},
		"interval soon": {
			"nothing to compare with",
			both(scaled(), func(in *input) { in.Operator = operator(reconcileInterval, "soon") }),
			one(confPath(reconcileInterval), "Invalid value for Flink config key"),
		},

		"down x": {
			"no number",
			scaled(down, "x"),
			one(confPath(autoscaler+down), "Invalid value in the autoscaler config "+autoscaler+down),
		},
		"target x": {"no number, and min and max have nothing to be compared with",
			scaled(target, "x", highest, "0", lowest, "1"),
			one(confPath(autoscaler+target), "Invalid value in the autoscaler config "+autoscaler+target)},
	} {
		t.Run(name, row.run)
	}
}

func TestExcludedPeriods(t *testing.T) {
	const cron = "* * * ? * 2,5"
	for periods, row := range map[string]struct {
		reason string
		wrong  int
	}{
		"09:00:00-17:00:00":            {"a day's part", 0},
		"9:0-17:0":                     {"seconds and leading zeros may be left out", 0},
		"09:00:00:000-09:00:00:001":    {"milliseconds are possible", 0},
		"23:59:59:998-23:59:59:999":    {"the day's last times", 0},
		"09:00:59-09:01:00":            {"the second before a minute", 0},
		"09:59:59-10:00":               {"the second before an hour", 0},
		"12:00-10:00":                  {"it ends before it begins", 1},
		"10:00-10:00":                  {"it has no length", 1},
		"09:13:17-08:15:18":            {"it ends before it begins", 1},
		"09:13:17-25:15:18":            {"no such hour", 1},
		"09:60-10:00":                  {"no such minute", 1},
		"09:00:60-10:00":               {"no such second", 1},
		"09-10":                        {"hours alone are no time", 1},
		"09:00":                        {"no range", 1},
		"09:00 - 10:00":                {"no blanks inside", 1},
		"":                             {"no period", 0},
		cron:                           {"an expression of seven possible fields", 0},
		"* * * ? * 2,5555":             {"no such day", 1},
		cron + " && 14:01:20-16:00:00": {"one of each, in any order", 0},
		"14:01:20-16:00:00&&" + cron:   {"one of each, in any order", 0},
		cron + " && 16:00:00-14:00:00": {"a bad part", 1},
		"09:00-10:00 && 11:00-12:00":   {"two of a kind", 1},
		cron + " && " + cron:           {"two of a kind", 1},
		"09:00-10:00 && " + cron + " && 11:00-12:00":     {"too many parts", 1},
		"09:00-10:00;11:00-12:00":                        {"a list of two", 0},
		"09:00-10:00;" + cron + ";" + cron + "&&1:0-2:0": {"a list of three", 0},
		"09:00-10:00;12:00-11:00":                        {"one of two is wrong", 1},
		"x;y":                                            {"each is told", 2},
		"'x":                                             {"no list", 1},
	} {
		t.Run(periods, func(t *testing.T) {
			const key = autoscaler + "excluded.periods"
			in := deployment(t)
			scaled("excluded.periods", periods)(&in)
			got := validation.Deployment(in)
			var want []finding
			for range row.wrong {
				want = append(want, finding{confPath(key), "in the autoscaler config " + key})
			}
			check(t, row.reason, got, want...)
		})
	}
}
