package platform

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
)

// ends says the last lines of every log in directory $1. A stack says where, not what, and is long: it stays in the
// log. It ends at an empty line, or at the next one of Kubernetes' format.
const ends = `
for log in "$1"/*.log; do
  [ -s "$log" ] || continue
  echo "the end of $log:"
  sed '/^goroutine [0-9]* \[/,/^$/{/^[IWEF][0-9]\{4\} /!d;}' "$log" | tail -n 15 | sed 's/^/  /'
done
`

// testament is what a shell says after a process that ended without Stop. Kubernetes' and Knative's parts end the
// process when something they count on breaks, some of them without a word to anybody but their log.
const testament = `
echo
echo "the platform ended at once: it was killed, or a part of it ended the process"
` + ends

// Logs is the directory of the parts' logs; those of pods are in Node().Logs().
func (p *Platform) Logs() string { return filepath.Join(p.options.Dir, "log") }

// lastLines are the ends of the parts' logs, as an error to join to the failure of one.
func (p *Platform) lastLines() error {
	text, err := exec.Command("/bin/sh", "-c", ends, "sh", p.Logs()).Output()
	if err != nil || len(text) == 0 {
		return err
	}
	return errors.New(strings.TrimRight(string(text), "\n"))
}
