package chaos

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Command is one line of a script: a verb and a number. Verbs that test/scenario has, too, mean the same there.
type Command struct {
	// Verb is one of Edits or Disturbances.
	Verb string
	// N says how or how much, as the verb has it; 0 and up.
	N int
}

func (c Command) String() string { return c.Verb + " " + strconv.Itoa(c.N) }

// Disturbances are the verbs that change no spec, with what N is.
var Disturbances = map[string]string{
	"wait":              "quarters of a second",
	"steady":            "nothing: until it is at rest, and what runs has kept a checkpoint",
	"delete":            "nothing: the resource, until it is gone",
	"crash-jobmanager":  "even: its process is killed; odd: and its pod deleted",
	"stop-jobmanager":   "nothing: SIGTERM, by the deletion of its pod",
	"kill-taskmanager":  "even: its process is killed; odd: and its pod deleted",
	"stop-taskmanager":  "nothing: SIGTERM, by the deletion of its pod",
	"stop-both":         "even: JobManager first; odd: TaskManagers first; in the same moment",
	"kill-both":         "even: JobManager first; odd: TaskManagers first; in the same moment",
	"lose-deployment":   "nothing: the JobManager's Deployment is deleted",
	"lose-taskmanagers": "nothing: the Deployment of a standalone cluster's TaskManagers is deleted",
	"scale-by-hand":     "so many replicas of that Deployment, 0 to 2",
	"cancel":            "nothing: by a person, with Flink's REST API",
	"fail-job":          "nothing: the job throws an exception, once",
	"failing":           "nothing: the job throws one in every run",
	"fixed":             "nothing: no more",
	"snapshot":          "4k+3: of a checkpoint; else of a savepoint, which goes with its resource where N is even",
	"crash":             "tenths of a second, after which the functions are killed",
	"lose-events":       "halves of a second, in which every event is lost",
	"disorder":          "halves of a second, in which events come late, twice and in another order",
}

// Parse reads a script: one command a line. Empty lines and those that begin with # count as none.
func Parse(text string) ([]Command, error) {
	var script []Command
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		verb, number, _ := strings.Cut(line, " ")
		n, err := strconv.Atoi(strings.TrimSpace(number))
		_, edit := Edits[verb]
		_, disturbance := Disturbances[verb]
		if err != nil || n < 0 || !edit && !disturbance {
			return nil, fmt.Errorf("%q is no command", line)
		}
		script = append(script, Command{verb, n})
	}
	return script, nil
}

// Text is what Parse reads.
func Text(script []Command) string {
	var out strings.Builder
	for _, c := range script {
		fmt.Fprintln(&out, c)
	}
	return out.String()
}

// often is how many times more than once a verb is in the lots. One that is not here, is not drawn.
var often = map[string]int{
	"parallelism": 5, "restart": 4, "suspend": 3, "resume": 1, "break-image": 1, "fix-image": 1,
	"version": 1, "upgrade-mode": 2, "adaptive": 1,
	"retention": 1, "retention-in-code": 1, "restart-strategy": 1, "high-availability": 2, "switch": 3, "redeploy": 1,
	"savepoint-nonce": 1, "snapshot": 1, "crash-jobmanager": 3, "stop-jobmanager": 2, "kill-taskmanager": 2,
	"stop-taskmanager": 2, "stop-both": 3, "kill-both": 2, "lose-deployment": 1, "cancel": 1, "fail-job": 3,
	"crash": 4, "lose-events": 2, "disorder": 2,
}

// oftenStandalone are those that are drawn for standalone clusters, too.
var oftenStandalone = map[string]int{
	"task-managers": 3, "reactive": 1, "claim-mode": 1, "lose-taskmanagers": 2, "scale-by-hand": 3,
}

var lots, lotsStandalone = lotsOf(often), append(lotsOf(often), lotsOf(oftenStandalone)...)

func lotsOf(often map[string]int) (all []string) {
	for verb, n := range often {
		all = append(all, slices.Repeat([]string{verb}, n)...)
	}
	slices.Sort(all)
	return all
}

// Draw is run number n of a seed: the dials, a first start, and rounds of commands that meet each other, most of
// which end in rest; of a standalone cluster, and of a session job or a blue/green deployment, if that is asked for.
func Draw(seed, n uint64, standalone, hosted, paired bool) []Command {
	r, lots := rand.New(rand.NewPCG(seed, n)), lots
	script := []Command{
		{"version", r.IntN(2)},
		{"retention", r.IntN(len(retentions))},
		{"restart-strategy", r.IntN(len(strategies))},
		{"high-availability", 1 + r.IntN(2)}, // 2: none
		{"upgrade-mode", r.IntN(7) / 3},      // seldom stateless
		{"statistics", r.IntN(len(refreshes))},
	}
	if standalone {
		lots = lotsStandalone
		script = append([]Command{
			{"standalone", 0}, {"claim-mode", r.IntN(len(claimModes))}, {"reactive", r.IntN(4)},
		}, script...)
	}
	switch {
	case hosted:
		script = append([]Command{{"hosted", 0}}, script...)
	case paired:
		lots = lotsPaired
		script = append([]Command{{"paired", 0}}, script...)
	}
	if r.IntN(3) == 0 {
		script = append(script, Command{"switch", r.IntN(len(switches))})
	}
	if r.IntN(4) == 0 {
		script = append(script, Command{"adaptive", 1})
	}
	script = append(script, Command{"apply", 0}, Command{"steady", 0})
	for range 2 + r.IntN(5) {
		for range 1 + r.IntN(3) {
			script = append(script, Command{lots[r.IntN(len(lots))], r.IntN(13)})
			if r.IntN(3) > 0 {
				script = append(script, Command{"wait", r.IntN(17)})
			}
		}
		if last := &script[len(script)-1]; last.Verb == "wait" {
			*last = Command{"steady", 0}
		} else if r.IntN(2) == 0 {
			script = append(script, Command{"steady", 0})
		}
	}
	return script
}
