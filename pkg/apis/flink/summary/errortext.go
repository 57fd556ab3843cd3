package summary

import (
	"regexp"
	"slices"
	"unicode/utf16"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/jsontext"
)

// TypeValidation is the type of an error that says that a spec is invalid, as
// users of the Java operator know it.
const TypeValidation = "org.apache.flink.kubernetes.operator.exception.ValidationException"

// Cause is one link of an error's chain, outermost first.
type Cause struct {
	// Type of the error, a Java class name where users know one.
	Type string
	// Message of the error; nil means that it has none.
	Message *string
	// HTTPResponseCode of a failed REST call; 0 means it was none.
	HTTPResponseCode int
	// Reason of a failed deployment; empty means it was none.
	Reason string
}

// ErrorBounds are the operator's settings for error texts
// (kubernetes.operator.exception.*).
type ErrorBounds struct {
	// FieldLength is exception.field.max.length in characters.
	FieldLength int
	// CauseCount is exception.throwable.list.max.count.
	CauseCount int
	// StackTrace is exception.stacktrace.enabled.
	StackTrace bool
	// StackTraceLength is exception.stacktrace.max.length in characters.
	StackTraceLength int
	// Labels is exception.label.mapper: the label of each pattern that is found
	// in a message, in this order. nil means none.
	Labels []ErrorLabel
}

// ErrorLabel gives a label to errors with a certain message.
type ErrorLabel struct {
	// Pattern is searched in the messages; nil never matches.
	Pattern *regexp.Regexp
	// Label of a match.
	Label string
}

// DefaultErrorBounds are the defaults of the settings.
func DefaultErrorBounds() ErrorBounds {
	return ErrorBounds{FieldLength: 2048, CauseCount: 2, StackTraceLength: 2048}
}

// ErrorText is status.error of a chain of causes, outermost first: JSON in the
// Java operator's form. Empty for an empty chain. stack is the outermost error's
// stack trace, empty for none; it is shown only when enabled.
func ErrorText(chain []Cause, stack string, bounds ErrorBounds) (string, error) {
	if len(chain) == 0 {
		return "", nil
	}
	form := newErrorForm(chain, bounds)
	if bounds.StackTrace && stack != "" {
		trace := cut(stack, bounds.StackTraceLength)
		form.StackTrace = &trace
	}
	form.ThrowableList = &[]errorForm{}
	for i := 1; i < len(chain) && i <= bounds.CauseCount; i++ {
		*form.ThrowableList = append(*form.ThrowableList, newErrorForm(chain[i:], bounds))
	}
	return jsontext.Print(form)
}

type errorForm struct {
	Type               string            `json:"type"`
	Message            *string           `json:"message,omitempty"`
	StackTrace         *string           `json:"stackTrace,omitempty"`
	AdditionalMetadata errorMetadataForm `json:"additionalMetadata"`
	ThrowableList      *[]errorForm      `json:"throwableList,omitempty"`
}

type errorMetadataForm struct {
	Reason           string   `json:"reason,omitempty"`
	HTTPResponseCode int      `json:"httpResponseCode,omitempty"`
	Labels           []string `json:"labels,omitempty"`
}

// newErrorForm is the form of the first cause; labels are looked up in it and
// in all that follow.
func newErrorForm(chain []Cause, bounds ErrorBounds) errorForm {
	first := chain[0]
	form := errorForm{
		Type: cut(first.Type, bounds.FieldLength),
		AdditionalMetadata: errorMetadataForm{
			HTTPResponseCode: first.HTTPResponseCode,
			Reason:           cut(first.Reason, bounds.FieldLength),
			Labels:           labelsOf(chain, bounds.Labels),
		},
	}
	if first.Message != nil {
		message := cut(*first.Message, bounds.FieldLength)
		form.Message = &message
	}
	return form
}

func labelsOf(chain []Cause, rules []ErrorLabel) []string {
	var labels []string
	for _, rule := range rules {
		matches := func(c Cause) bool {
			message := ""
			if c.Message != nil {
				message = *c.Message
			}
			return rule.Pattern != nil && rule.Pattern.MatchString(message)
		}
		if slices.ContainsFunc(chain, matches) {
			labels = append(labels, rule.Label)
		}
	}
	return labels
}

// cut shortens text to a number of Java characters (UTF-16 units), never inside
// a pair.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	length := 0
	for i, r := range text {
		length += utf16.RuneLen(r)
		if length > limit {
			return text[:i]
		}
	}
	return text
}
