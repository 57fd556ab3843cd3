package screen

import (
	"fmt"
	"slices"
)

// Changes says in plain lines what is new in after. A function that answers one more request is not.
func Changes(before, after State) []string {
	var lines []string
	lines = append(lines, changed(before.Resources, after.Resources, Resource.key, Resource.sentence)...)
	lines = append(lines, changed(before.Functions, after.Functions, Function.key, Function.sentence)...)
	lines = append(lines, changed(before.Pods, after.Pods, Pod.key, Pod.sentence)...)
	lines = append(lines, said(before.Pods, after.Pods)...)
	for _, event := range newer(before.Events, after.Events) {
		lines = append(lines, "event "+event)
	}
	if after.Trouble != before.Trouble && after.Trouble != "" {
		lines = append(lines, after.Trouble)
	}
	return lines
}

// changed compares what is said of each by its key. What appears is said, what stays the same is not, and of what goes
// the end is said.
func changed[T any](before, after []T, key, sentence func(T) string) []string {
	old := map[string]string{}
	for _, b := range before {
		old[key(b)] = sentence(b)
	}
	var lines []string
	for _, a := range after {
		if now := sentence(a); old[key(a)] != now {
			lines = append(lines, now)
		}
		delete(old, key(a))
	}
	for _, b := range before {
		if _, gone := old[key(b)]; gone {
			lines = append(lines, key(b)+" is gone")
		}
	}
	return lines
}

func (r Resource) key() string { return r.Kind + " " + r.Name }

func (r Resource) sentence() string {
	text := fmt.Sprintf("%s: %s", r.key(), orDash(r.Lifecycle))
	if r.Job != "" {
		text += ", job " + r.Job
	}
	if r.Now != "" {
		text += " (" + r.Now + ")"
	}
	return text
}

func (f Function) key() string { return "function " + f.Name }

func (f Function) sentence() string { return f.key() + " is " + f.Doing() }

func (p Pod) key() string { return "pod " + p.Name }

func (p Pod) sentence() string {
	text := fmt.Sprintf("%s: %s, %s ready", p.key(), p.Phase, p.ready())
	if p.Restarts > 0 {
		text += fmt.Sprintf(", %d restarts", p.Restarts)
	}
	if p.Page != "" {
		text += ", web page " + p.Page
	}
	return text
}

// said are the ends of the logs of pods that were not known before.
func said(before, after []Pod) []string {
	known := map[string][]string{}
	for _, b := range before {
		known[b.key()] = b.CrashCause
	}
	var lines []string
	for _, a := range after {
		if len(a.CrashCause) == 0 || slices.Equal(known[a.key()], a.CrashCause) {
			continue
		}
		lines = append(lines, a.key()+" failed, the end of its log:")
		for _, words := range a.CrashCause {
			lines = append(lines, "  | "+words)
		}
	}
	return lines
}

// newer are the lines of after that come after what before and after have in common: both are ends of one growing text.
func newer(before, after []string) []string {
	for from := range before {
		if common := before[from:]; len(common) <= len(after) && slices.Equal(common, after[:len(common)]) {
			return after[len(common):]
		}
	}
	return after
}
