package javatrace

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxMessage bounds a message, in bytes.
const MaxMessage = 2 << 10

// Throwable is one link of a chain of Java exceptions.
type Throwable struct {
	// Class is the Java class name; empty if the line has no such prefix.
	Class string
	// Message is the exception's message; empty if it has none. It may span lines.
	Message string
}

var (
	frame = regexp.MustCompile(
		`^\s+(at \S|\.\.\. \d+ (more|common frames))|^\s*Suppressed: |^End of exception on server side>?$`,
	)
	className = regexp.MustCompile(`^((?:[a-zA-Z_$][\w$]*\.)+[A-Z_$][\w$]*)(?:: ?|$)`)
)

// Causes reads a Java stack trace, outermost exception first: frames and suppressed exceptions are left out.
func Causes(trace string) []Throwable {
	var chain []Throwable
	for _, line := range strings.Split(trace, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if line == "" || frame.MatchString(line) || strings.HasPrefix(line, "<Exception on server side:") {
			continue
		}
		cause, next := strings.CutPrefix(line, "Caused by: ")
		if len(chain) > 0 && !next && !className.MatchString(line) {
			chain[len(chain)-1].Message += "\n" + line // a message of several lines
			continue
		}
		link := Throwable{Message: cause}
		if match := className.FindStringSubmatch(cause); match != nil {
			link = Throwable{Class: match[1], Message: cause[len(match[0]):]}
		}
		chain = append(chain, link)
	}
	return chain
}

// Summary makes one line of at most 2 KiB out of Flink's message or stack trace: the chain of causes, joined by " <- ",
// without frames. Left out is what says nothing: the class RestHandlerException, an exception whose message is the one
// below it, and a message that has been said.
func Summary(trace string) string {
	chain := Causes(trace)
	var parts []string
	said := "\n"
	for i, link := range chain {
		message := oneLine(link.Message)
		if i+1 < len(chain) && chain[i+1].Class != "" && strings.HasPrefix(message, chain[i+1].Class) {
			continue
		}
		if message != "" && strings.Contains(said, message+"\n") {
			continue
		}
		part := message
		if short := link.Class[strings.LastIndex(link.Class, ".")+1:]; short != "" && short != "RestHandlerException" {
			part = strings.TrimSuffix(short+": "+message, ": ")
		}
		if part == "" {
			continue
		}
		said += message + "\n"
		parts = append(parts, part)
	}
	return Clip(strings.Join(parts, " <- "))
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Clip bounds a text to MaxMessage bytes without splitting a character.
func Clip(text string) string {
	if len(text) <= MaxMessage {
		return text
	}
	cut := MaxMessage - len(more)
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + more
}

// more marks where a text was cut.
const more = "…"

// Printable makes a body that is not Flink's fit for a message.
func Printable(body []byte) string {
	if len(body) > MaxMessage {
		body = append(bytes.ToValidUTF8(body[:MaxMessage-len(more)], nil), more...)
	}
	clean := strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) {
			return ' '
		}
		return r
	}, string(body))
	return oneLine(clean)
}
