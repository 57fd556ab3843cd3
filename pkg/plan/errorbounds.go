package plan

import (
	"regexp"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// ErrorBounds are the options kubernetes.operator.exception.*, which say how much status.error shows. One that cannot
// be read counts as not set, a label whose pattern is no regular expression (RE2) labels nothing.
func ErrorBounds(c flinkconf.Config) summary.ErrorBounds {
	bounds := summary.DefaultErrorBounds()
	for option, number := range map[*conf.Option]*int{
		&key.ExceptionFieldMaxLength: &bounds.FieldLength, &key.ExceptionThrowableListMaxCount: &bounds.CauseCount,
		&key.ExceptionStacktraceMaxLength: &bounds.StackTraceLength,
	} {
		if n, err := c.Int(*option); err == nil {
			*number = n
		}
	}
	bounds.StackTrace, _ = c.Bool(key.ExceptionStacktraceEnabled)
	labels, _ := c.Pairs(key.ExceptionLabelMapper)
	for _, pair := range labels {
		if pattern, err := regexp.Compile(pair[0]); err == nil {
			bounds.Labels = append(bounds.Labels, summary.ErrorLabel{Pattern: pattern, Label: pair[1]})
		}
	}
	return bounds
}
