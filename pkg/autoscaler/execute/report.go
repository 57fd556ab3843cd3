package execute

import (
	"strconv"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// The headers and the key of reports. Tools parse them.
const (
	enabledHeader = "Scaling execution enabled, begin scaling vertices:"
	reportKey     = "ScalingExecutor"
	// LabelParallelism is the label of a report that only advises: another value is another advice.
	LabelParallelism = "parallelismMap"
)

// enabledReport tells what is scaled. It is never suppressed.
func (p Proposal) enabledReport(changes []Change) model.Event {
	return model.Event{
		Type: model.EventNormal, Reason: model.ReasonScalingReport, Message: enabledHeader + p.entries(changes),
		Key: reportKey,
	}
}

// disabledReport tells what would be scaled, if an option did not forbid it.
func (in Input) disabledReport(p *Proposal, option, value string) model.Event {
	return model.Event{
		Type: model.EventNormal, Reason: model.ReasonScalingReport,
		Message: "Scaling execution disabled by config " + option + ":" + value + ", recommended parallelism change:" +
			p.entries(p.Changes),
		Key: reportKey, Suppressed: true, Interval: in.Options.EventInterval,
		Labels: map[string]string{LabelParallelism: parallelismHash(p.Changes)},
	}
}

// entries are the vertices of a report.
func (p Proposal) entries(changes []Change) string {
	var text strings.Builder
	for _, c := range changes {
		m := p.Metrics[c.Vertex]
		text.WriteString("{ Vertex ID " + c.Vertex + " | " + c.String() + " | Processing capacity " +
			model.Fixed(m.Average(model.TrueProcessingRate)) + " -> " +
			model.Fixed(m.Current(model.ExpectedProcessingRate)) + " | Target data rate " +
			model.Fixed(m.Average(model.TargetDataRate)) + "}")
	}
	return text.String()
}

// String is the change as reports show it.
func (c Change) String() string {
	return "Parallelism " + strconv.Itoa(c.Current) + " -> " + strconv.Itoa(c.New)
}

// parallelismHash is the hash of a Java map from vertex to change, without its sign.
func parallelismHash(changes []Change) string {
	var hash uint32
	for _, c := range changes {
		hash += syntax.JavaHash(c.Vertex) ^ syntax.JavaHash(c.String())
	}
	return strconv.FormatUint(uint64(hash&0x7fffffff), 10)
}

// javaList prints a list as Java does.
func javaList(items []string) string { return "[" + strings.Join(items, ", ") + "]" }
