package scale

import (
	"strconv"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
)

// Mode says how a parallelism is aligned with key groups or source partitions.
type Mode string

// The alignment modes. Those of the older option have names of their own here.
const (
	ModeUnknown      Mode = ""
	ModeBalanced     Mode = "BALANCED"
	ModeEvenlySpread Mode = "EVENLY_SPREAD"
	ModeOff          Mode = "OFF"
	ModeOldSpread    Mode = "EVENLY_SPREAD of the older option"
	ModeOldMaximize  Mode = "MAXIMIZE_UTILISATION of the older option"
	// ModeCustom is a mode of the user's own, asked outside.
	ModeCustom Mode = "custom"
)

// ModeOf is the alignment mode of a job, and the name of one of the user's own.
//
//	scaling.parallelism-alignment.mode   scaling.key-group.partitions.adjust.mode   mode
//	BALANCED, EVENLY_SPREAD, OFF         -                                          that one
//	another text                         -                                          custom, of that name
//	not set                              EVENLY_SPREAD, MAXIMIZE_UTILISATION        the older one
//	not set                              not set                                    BALANCED
func ModeOf(o model.Options) (Mode, string) {
	switch newer := Mode(o.AlignmentMode); newer {
	case ModeBalanced, ModeEvenlySpread, ModeOff:
		return newer, ""
	case ModeUnknown:
	default:
		return ModeCustom, o.AlignmentMode
	}
	switch o.AdjustMode {
	case "EVENLY_SPREAD":
		return ModeOldSpread, ""
	case "MAXIMIZE_UTILISATION":
		return ModeOldMaximize, ""
	}
	return ModeBalanced, ""
}

// alignment is one search for a parallelism that spreads groups well.
type alignment struct {
	// current and wanted are the parallelism now and before the alignment.
	current, wanted int
	// groups is the number of key groups or source partitions.
	groups int
	// highest is the last parallelism that may be used.
	highest int
	lower   int
}

// align aligns the wanted parallelism, which is not the current one.
//
//	an answer of the user's own   source partitions   keyed input   aligned with
//	yes                           -                   -             nothing: it is the parallelism
//	no                            known               -             the partitions
//	no                            not known           yes           the key groups
//	no                            not known           no            nothing
func (in Input) align(v *Verdict, b bounds) int {
	if mode, _ := ModeOf(in.Options); mode == ModeCustom && in.Aligned != nil {
		if *in.Aligned != v.Steps.Wanted {
			v.Steps.Rule = RuleAlignment
		}
		return *in.Aligned
	}
	partitions := model.Int(in.Metrics.Current(model.SourcePartitions))
	if partitions <= 0 && !in.Keyed {
		return v.Steps.Wanted
	}
	groups := b.groups
	if partitions > 0 {
		groups = partitions
	}
	a := alignment{
		current: v.Current, wanted: v.Steps.Wanted, groups: groups, lower: b.lower,
		highest: min(groups, b.groups, b.upper),
	}
	v.Steps.Groups = groups
	aligned := in.aligned(v, a, b)
	if aligned != v.Steps.Wanted {
		v.Steps.Rule = RuleAlignment
	}
	return aligned
}

// aligned applies the mode.
//
//	mode                    the parallelism is                                  and if there is none
//	BALANCED                the next that divides, or lessens the most loaded   the wanted one
//	EVENLY_SPREAD           the next that divides the groups                    the wanted one
//	OFF                     the wanted one
//	custom, no answer       as BALANCED
//	older MAXIMIZE_…        as BALANCED                                         see downwards
//	older EVENLY_SPREAD     as EVENLY_SPREAD                                    see downwards
func (in Input) aligned(v *Verdict, a alignment, b bounds) int {
	mode, _ := ModeOf(in.Options)
	if mode == ModeOff {
		return a.wanted
	}
	spread := mode == ModeEvenlySpread || mode == ModeOldSpread
	if found, ok := a.upwards(!spread); ok {
		return found
	}
	if mode != ModeOldSpread && mode != ModeOldMaximize {
		return a.wanted
	}
	found := a.downwards()
	if found != a.wanted {
		v.Events = append(v.Events, in.limitedEvent(a, found, min(b.groups, b.upper)))
	}
	return found
}

// upwards is the first parallelism from the wanted one on that divides the groups or, where that will do, gives the
// most loaded subtask fewer of them. Scaling down it ends at the current one.
func (a alignment) upwards(lessWillDo bool) (int, bool) {
	last := a.highest
	if a.wanted <= a.current {
		last = min(a.current, a.highest)
	}
	for p := a.wanted; p <= last; p++ {
		if a.groups%p == 0 || lessWillDo && a.groups/p < a.groups/a.wanted {
			return p, true
		}
	}
	return 0, false
}

// downwards is the smallest parallelism below the wanted one with as many groups in the most loaded subtask, not below
// the lower bound. One that goes the wrong way is the current one: the vertex is blocked.
func (a alignment) downwards() int {
	p := a.wanted
	for ; p > 0; p-- {
		if a.groups/p > a.groups/a.wanted {
			if a.groups%p != 0 {
				p++
			}
			break
		}
	}
	p = max(p, a.lower)
	if a.wanted > a.current && p <= a.current || a.wanted < a.current && p >= a.current {
		return a.current
	}
	return p
}

// limitedEvent has the text of the Java autoscaler, with its full-width comma.
func (in Input) limitedEvent(a alignment, found, upper int) model.Event {
	return model.Event{
		Type: model.EventWarning, Reason: model.ReasonScalingLimited,
		Message: "Scaling limited detected for " + in.Vertex + " (expected parallelism: " + strconv.Itoa(a.wanted) +
			", actual parallelism " + strconv.Itoa(found) + "). Scaling limited due to numKeyGroupsOrPartitions : " +
			strconv.Itoa(a.groups) + "\uff0cupperBoundForAlignment(maxParallelism or parallelismUpperLimit): " +
			strconv.Itoa(upper) + ", parallelismLowerLimit: " + strconv.Itoa(a.lower) + ".",
		Key: model.ReasonScalingLimited + in.Vertex, Suppressed: true, Interval: in.Options.EventInterval,
	}
}
