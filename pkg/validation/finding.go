package validation

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"knative.dev/pkg/apis"
)

const (
	// maxQuoted bounds a quoted user value, in runes.
	maxQuoted = 80
	// maxPart bounds the message and the advice of one finding each, in bytes.
	maxPart = 500
	// maxMessage bounds Message, in bytes; it stays below the 2,048 that status.error keeps of a message by default.
	maxMessage = 2000
)

// report collects findings in rule order.
type report struct {
	// base is the path of the spec under test: "spec", or "spec.template.spec" inside a blue/green deployment.
	base string
	// findings are the problems so far.
	findings []*apis.FieldError
	// warnings are what is told and refuses nothing.
	warnings []*apis.FieldError
}

// at names a field below the spec under test.
func (r *report) at(field string) string { return r.base + "." + field }

// conf names a flinkConfiguration key of the spec under test.
func (r *report) conf(key string) string { return confPath(r.base, key) }

// add records a finding at a field below the spec under test.
func (r *report) add(field, message, advice string) { r.addAt(r.at(field), message, advice) }

// addConf records a finding at a flinkConfiguration key.
func (r *report) addConf(key, message, advice string) { r.addAt(r.conf(key), message, advice) }

// addAt records a finding at a whole path.
func (r *report) addAt(path, message, advice string) {
	r.findings = append(r.findings, &apis.FieldError{
		Message: oneLine(message, maxPart),
		Paths:   []string{path},
		Details: oneLine(advice, maxPart),
	})
}

// warn records a warning at a field below the spec under test.
func (r *report) warn(field, message, advice string) { r.warnAt(r.at(field), message, advice) }

// warnAt records a warning at a whole path.
func (r *report) warnAt(path, message, advice string) {
	r.warnings = append(r.warnings, (&apis.FieldError{
		Message: oneLine(message, maxPart), Paths: []string{path}, Details: oneLine(advice, maxPart),
	}).At(apis.WarningLevel))
}

// fieldError turns the findings, and the warnings after them, into one error whose own message is the first of them;
// nil when there is none.
func (r *report) fieldError() *apis.FieldError {
	all := slices.Concat(r.findings, r.warnings)
	if len(all) == 0 {
		return nil
	}
	return all[0].Also(all[1:]...)
}

// Problems are the findings of which each one refuses the spec, without the warnings; nil when there is none.
func Problems(found *apis.FieldError) *apis.FieldError { return found.Filter(apis.ErrorLevel) }

// Headline returns the text of the first broken rule, in the order in which the Java operator evaluates its rules. It
// is what that operator puts into status.error, its ValidationError events and its denials. Empty for nil.
func Headline(err *apis.FieldError) string {
	if err == nil {
		return ""
	}
	return err.Message
}

// Message returns all findings on one line: the first broken rule first, the others by text. Each reads `<what> (<field
// paths>): <what to do>`. The line begins with Headline, never exceeds 2,000 bytes, and equal findings give equal
// bytes. Where it is cut it says how many problems are left out. Empty for nil.
func Message(err *apis.FieldError) string { return MessageWithin(err, maxMessage) }

// MessageWithin is Message for a place that takes fewer bytes, 200 at least.
func MessageWithin(err *apis.FieldError, most int) string {
	if err == nil {
		return ""
	}
	all := err.WrappedErrors()
	if first := slices.IndexFunc(all, func(e *apis.FieldError) bool {
		return e.Message == err.Message && e.Details == err.Details
	}); first > 0 {
		head := all[first]
		all = slices.Insert(slices.Delete(all, first, first+1), 0, head)
	}
	var line strings.Builder
	for i, finding := range all {
		text, last := sentence(finding), i == len(all)-1
		if len(all) > 1 {
			text = oneLine(text, most-len(leftOut(len(all))))
		}
		room := most - line.Len() - len("; ") - len(text)
		if i > 0 && (room < 0 || (!last && room < len(leftOut(len(all)-i-1)))) {
			line.WriteString(leftOut(len(all) - i))
			break
		}
		if i > 0 {
			line.WriteString("; ")
		}
		line.WriteString(text)
	}
	return oneLine(line.String(), most)
}

// leftOut says that a message is cut, and how many problems it does not tell.
func leftOut(problems int) string {
	if problems == 1 {
		return "; and 1 more problem, which is left out"
	}
	return "; and " + strconv.Itoa(problems) + " more problems, which are left out"
}

func sentence(finding *apis.FieldError) string {
	text := finding.Message
	if len(finding.Paths) > 0 {
		text += " (" + strings.Join(finding.Paths, ", ") + ")"
	}
	if finding.Details != "" {
		text += ": " + finding.Details
	}
	return text
}

// confPath is the path of a flinkConfiguration key in its flat spelling, whatever nesting the user chose.
func confPath(base, key string) string {
	return base + ".flinkConfiguration[" + strconv.Quote(cut(key, maxQuoted)) + "]"
}

// quote makes a user's value safe and short enough for a message.
func quote(value string) string { return strconv.Quote(cut(value, maxQuoted)) }

// cut shortens text to a number of runes and marks that it did.
func cut(text string, runes int) string {
	if utf8.RuneCountInString(text) <= runes {
		return text
	}
	return string([]rune(text)[:runes]) + "…"
}

// oneLine turns control characters and invalid bytes into blanks and cuts the text to a number of bytes.
func oneLine(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, text)
	if len(text) <= limit {
		return text
	}
	const mark = "…"
	end := limit - len(mark)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}
