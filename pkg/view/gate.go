package view

import (
	"fmt"
	"time"

	"github.com/kn-flink/kn-flink/pkg/redact"
)

// Gate is one condition on the new side of a pair.
type Gate struct {
	// Name is the gate's: checkpoints, restarts, lag, errors, prometheus, approval, or service/<name>.
	Name string `json:"name"`
	// Verdict is Passed, Waiting or Refused.
	Verdict string `json:"verdict"`
	// Value is what was measured; empty when nothing was.
	Value string `json:"value,omitempty"`
	// Message says why, in one line.
	Message string `json:"message,omitempty"`
	// Since is when it began to say this; absent when that is not known.
	Since *time.Time `json:"since,omitempty"`
}

// gates are those of the change that is under way, without secrets.
func (s subject) gates(secrets redact.Secrets) []Gate {
	if s.Status.Transition == nil {
		return nil
	}
	var all []Gate
	for _, g := range s.Status.Transition.Gates {
		all = append(all, Gate{
			g.Name, string(g.Verdict), secrets.Text(g.Value), secrets.Text(g.Message), since(&g.Since),
		})
	}
	return all
}

func (g Gate) line(now time.Time) string {
	line := g.Name + " " + g.Verdict
	if g.Since != nil {
		line += " since " + moment(*g.Since, now)
	}
	if g.Value != "" {
		line += fmt.Sprintf(" (%s)", g.Value)
	}
	if g.Message != "" {
		line += ": " + g.Message
	}
	return line
}

func (j Job) gateLines(now time.Time) []string {
	var lines []string
	for _, g := range j.Gates {
		lines = append(lines, g.line(now))
	}
	return lines
}
