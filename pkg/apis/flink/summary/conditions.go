package summary

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Condition types. Ready, Reconciling and Stalled follow kstatus; Running is the
// Java operator's; the others say what is well.
const (
	// Ready: the resource is as its spec wants it. Derived, never set.
	Ready = "Ready"
	// Reconciling: something is under way. Present only while true.
	Reconciling = "Reconciling"
	// Stalled: nothing changes until you act. Present only while true.
	Stalled = "Stalled"
	// SpecAccepted: the spec is valid.
	SpecAccepted = "SpecAccepted"
	// ClusterAvailable: the JobManager answers.
	ClusterAvailable = "ClusterAvailable"
	// JobRunning: the job runs.
	JobRunning = "JobRunning"
	// StateSafe: a state to restore from is known, or none is needed.
	StateSafe = "StateSafe"
	// Autoscaling: the autoscaler runs for the job. Present only while the spec asks for it.
	Autoscaling = "Autoscaling"
	// IngressReady: the Ingress is as the spec asks. Present only while the spec
	// asks for one, or one is left to be removed.
	IngressReady = "IngressReady"
	// Running: the condition that the Java operator sets on a FlinkDeployment.
	Running = "Running"
)

// Reasons that do not keep a resource from being ready: the wanted end is
// reached although nothing runs.
const (
	// ReasonSuspended: the job is suspended because the spec asks for it.
	ReasonSuspended = "Suspended"
	// ReasonFinished: the job ended by itself and with success.
	ReasonFinished = "Finished"
)

// MaxMessageLength of a condition in bytes. A message is one line.
const MaxMessageLength = 1024

// order of the conditions in a list; other types follow by name. Running is
// first because it used to be the only one, and scripts may read entry 0.
var order = []string{
	Running, Ready, Reconciling, Stalled, SpecAccepted, ClusterAvailable, JobRunning, StateSafe, Autoscaling,
	IngressReady,
}

// At says when conditions are set and for which spec.
type At struct {
	// Now is the time of the pass.
	Now time.Time
	// Generation of the spec that the conditions speak of.
	Generation int64
}

// SetConditions returns the list that replaces old: the wanted conditions, Ready
// derived from them, and those of old whose type is not one of this package. A
// condition that is not wanted any more is gone.
//
// Of a wanted condition Type, Status, Reason and Message count. Messages are
// made one bounded line. The transition time of a type whose status is unchanged
// is kept, of the first entry if old has several. The observed generation is set,
// except on Running, where the Java operator leaves it out. Reconciling and
// Stalled are left out unless True; when both are, Stalled stays. old is not
// changed.
func SetConditions(old []metav1.Condition, at At, wanted ...metav1.Condition) []metav1.Condition {
	list := make([]metav1.Condition, 0, len(wanted)+1)
	add := func(c metav1.Condition) {
		if find(list, c.Type) == nil {
			list = append(list, c)
		}
	}
	stalled := slices.ContainsFunc(wanted, func(c metav1.Condition) bool { return isTrue(c, Stalled) })
	for _, c := range wanted {
		abnormal := c.Type == Reconciling || c.Type == Stalled
		hidden := abnormal && (!isTrue(c, c.Type) || (c.Type == Reconciling && stalled))
		if c.Type != Ready && !hidden {
			add(finish(c, old, at))
		}
	}
	ready := DeriveReady(list)
	add(finish(ready, old, at))
	for _, c := range old {
		if !slices.Contains(order, c.Type) {
			add(c)
		}
	}
	slices.SortStableFunc(list, byOrder)
	return list
}

// DeriveReady makes the condition Ready from the others. First match wins:
//
//	Stalled True                                        | False,   its reason and message
//	Reconciling True                                    | False,   its reason and message
//	SpecAccepted, ClusterAvailable or JobRunning False,
//	  reason neither Suspended nor Finished             | False,   its reason and message
//	one of them Unknown                                 | Unknown, its reason and message
//	JobRunning or ClusterAvailable False                | True,    its reason and message
//	else                                                | True,    reason Ready
//
// StateSafe, Autoscaling, IngressReady and Running do not count: a job may run
// before its first checkpoint, and without an Ingress.
func DeriveReady(list []metav1.Condition) metav1.Condition {
	for _, abnormal := range []string{Stalled, Reconciling} {
		if c := find(list, abnormal); c != nil && c.Status == metav1.ConditionTrue {
			return readyAs(metav1.ConditionFalse, c)
		}
	}
	var unknown, settled *metav1.Condition
	for _, normal := range []string{SpecAccepted, ClusterAvailable, JobRunning} {
		c := find(list, normal)
		switch {
		case c == nil || c.Status == metav1.ConditionTrue:
		case c.Status == metav1.ConditionFalse && !isSettled(c):
			return readyAs(metav1.ConditionFalse, c)
		case c.Status == metav1.ConditionFalse:
			settled = c
		case unknown == nil:
			unknown = c
		}
	}
	switch {
	case unknown != nil:
		return readyAs(metav1.ConditionUnknown, unknown)
	case settled != nil:
		return readyAs(metav1.ConditionTrue, settled)
	default:
		return metav1.Condition{
			Type: Ready, Status: metav1.ConditionTrue, Reason: Ready, Message: "the resource matches the spec",
		}
	}
}

func readyAs(status metav1.ConditionStatus, because *metav1.Condition) metav1.Condition {
	return metav1.Condition{Type: Ready, Status: status, Reason: because.Reason, Message: because.Message}
}

// isSettled tells that a condition is false because the wanted end is reached.
func isSettled(c *metav1.Condition) bool {
	return c.Type != SpecAccepted && (c.Reason == ReasonSuspended || c.Reason == ReasonFinished)
}

// finish fills in what SetConditions adds to a wanted condition.
func finish(wanted metav1.Condition, old []metav1.Condition, at At) metav1.Condition {
	c := metav1.Condition{
		Type:    wanted.Type,
		Status:  knownStatus(wanted.Status),
		Reason:  wanted.Reason,
		Message: OneLine(wanted.Message, MaxMessageLength),
		// Seconds are what is stored: a finer time would differ from itself after
		// a round trip.
		LastTransitionTime: metav1.NewTime(at.Now.UTC().Truncate(time.Second)),
	}
	if !validReason(c.Reason) {
		c.Reason = "Unknown"
	}
	if c.Type != Running {
		c.ObservedGeneration = at.Generation
	}
	if before := find(old, c.Type); before != nil && before.Status == c.Status && !before.LastTransitionTime.IsZero() {
		c.LastTransitionTime = before.LastTransitionTime
	}
	return c
}

func knownStatus(status metav1.ConditionStatus) metav1.ConditionStatus {
	if status == metav1.ConditionTrue || status == metav1.ConditionFalse {
		return status
	}
	return metav1.ConditionUnknown
}

func isTrue(c metav1.Condition, conditionType string) bool {
	return c.Type == conditionType && c.Status == metav1.ConditionTrue
}

func find(list []metav1.Condition, conditionType string) *metav1.Condition {
	for i := range list {
		if list[i].Type == conditionType {
			return &list[i]
		}
	}
	return nil
}

func byOrder(a, b metav1.Condition) int {
	return cmp.Or(cmp.Compare(rank(a.Type), rank(b.Type)), cmp.Compare(a.Type, b.Type))
}

func rank(conditionType string) int {
	if at := slices.Index(order, conditionType); at >= 0 {
		return at
	}
	return len(order)
}

// OneLine makes text one line of at most limit bytes: runs of white space and
// control characters become one space, and what is too long is cut at a
// character and ends in an ellipsis. A limit below 4 gives an empty text.
func OneLine(text string, limit int) string {
	const ellipsis = "…"
	line := text
	if !isLine(text) {
		line = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "\uFFFD"), isBreak), " ")
	}
	if len(line) <= limit {
		return line
	}
	if limit <= len(ellipsis) {
		return ""
	}
	line = line[:limit-len(ellipsis)]
	for len(line) > 0 && !utf8.ValidString(line) {
		line = line[:len(line)-1]
	}
	return line + ellipsis
}

// isLine tells that a text is one line as it is, of ASCII characters.
func isLine(text string) bool {
	blank := true // a blank would be the first, or follow another
	for i := range len(text) {
		c := text[i]
		if c < ' ' || c >= 0x7F || (c == ' ' && blank) {
			return false
		}
		blank = c == ' '
	}
	return !blank || text == ""
}

func isBreak(r rune) bool {
	return r <= ' ' || (r >= 0x7F && r <= 0xA0) || r == '\u2028' || r == '\u2029'
}

// validReason tells whether text is one CamelCase word as metav1.Condition asks
// for.
func validReason(text string) bool {
	if text == "" || len(text) > MaxMessageLength {
		return false
	}
	for i, r := range []byte(text) {
		letter := (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z')
		inner := letter || (r >= '0' && r <= '9') || r == '_' || r == ',' || r == ':'
		if (i == 0 && !letter) || !inner {
			return false
		}
	}
	last := text[len(text)-1]
	return last != ',' && last != ':'
}
