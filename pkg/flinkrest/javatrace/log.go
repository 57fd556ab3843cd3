package javatrace

import (
	"slices"
	"strings"
)

// warning begins a line that the Java virtual machine writes past the log, also into the middle of a trace.
const warning = "WARNING: "

const mainThread = `Exception in thread "main" `

// crashCause are the lines after which the JobManager's process tells why it ends (ClusterEntrypoint of Flink 1.15 to
// 2.x).
var crashCause = []string{"Fatal error occurred in the cluster entrypoint", "Could not start cluster entrypoint"}

// EndOf is the stack trace that a JobManager ended with, by its log: the one that Flink names so, else the last one.
// Empty when there is none.
func EndOf(log string) string {
	at := -1
	for _, words := range crashCause {
		at = max(at, strings.LastIndex(log, words))
	}
	if at < 0 {
		return LastOf(log)
	}
	lines := strings.Split(log[at:], "\n")[1:]
	end, within := 0, false // within: of a cause whose frames are to come
	for i, line := range lines {
		switch {
		case frame.MatchString(line):
			end, within = i+1, false
		case strings.HasPrefix(line, "Caused by: "):
			within = true
		case end > 0 && !within && !strings.HasPrefix(line, warning):
			return LastOf(strings.Join(lines[:end], "\n"))
		}
	}
	return LastOf(strings.Join(lines[:end], "\n"))
}

// LastOf is the last stack trace in a log; empty when there is none. Lines before its exception and after its frames
// are left out. Of a trace whose begin is cut off, it is what follows the first cause.
func LastOf(log string) string {
	lines := strings.Split(strings.ReplaceAll(log, "\r\n", "\n"), "\n")
	end := len(lines) - 1
	for end >= 0 && !frame.MatchString(lines[end]) {
		end--
	}
	begin := -1
	for at := end; at >= 0; at-- {
		line := strings.TrimPrefix(lines[at], mainThread)
		if className.MatchString(line) {
			lines[at], begin = line, at
			break
		}
		if strings.HasPrefix(line, "Caused by: ") {
			begin = at
		}
	}
	if begin < 0 {
		return ""
	}
	ours := slices.DeleteFunc(lines[begin:end+1], func(line string) bool { return strings.HasPrefix(line, warning) })
	return strings.Join(ours, "\n")
}
