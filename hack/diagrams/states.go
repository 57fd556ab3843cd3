package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// states draws which lifecycle state follows which in the transcripts of a folder. Those of snapshots are not drawn.
func states(folder string) (string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil {
		return "", err
	}
	follows := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		for _, change := range changes(string(text)) {
			follows[change] = true
		}
	}
	if len(follows) < 8 {
		return "", fmt.Errorf("%d changes of the state in the transcripts: they are written differently now", len(follows))
	}
	return "stateDiagram-v2\n  direction LR\n" + strings.Join(slices.Sorted(maps.Keys(follows)), ""), nil
}

// changes are the lines of the drawing for one transcript. A transcript of several resources has their names in its
// status lines; each has its own states.
func changes(text string) (found []string) {
	const first = "[*]"
	now := map[string]string{}
	for _, line := range strings.Split(text, "\n") {
		kind, rest := fields(line)
		if kind != "status" || len(rest) < 3 {
			continue
		}
		resource := ""
		if strings.HasSuffix(rest[0], ":") {
			resource, rest = rest[0], rest[1:]
		}
		state := rest[0]
		if strings.ToUpper(state) != state {
			continue
		}
		before := now[resource]
		if before == "" {
			before = first
		}
		if before != state {
			found = append(found, fmt.Sprintf("  %s --> %s\n", before, state))
		}
		now[resource] = state
	}
	return found
}

// errNoChange is what a transcript without an edit is refused with.
var errNoChange = errors.New("the transcript has no edit of a FlinkDeployment")

// change draws a transcript from its first edit on, until the resource rests: what comes in, what is done, what the
// status says.
func change(text string) (string, error) {
	_, text, found := strings.Cut(text, "event    update FlinkDeployment")
	if !found {
		return "", errNoChange
	}
	var out strings.Builder
	out.WriteString("sequenceDiagram\n  participant U as you\n  participant R as reconcile\n  participant S as status\n" +
		"  participant F as Flink and Kubernetes\n  U->>R: the spec changes\n")
	status, steady := "", false
	for _, line := range strings.Split(text, "\n") {
		kind, rest := fields(line)
		switch {
		case kind == "status" && len(rest) > 3:
			now := rest[0] + ", job " + strings.TrimPrefix(rest[2], "job=")
			if now != status {
				fmt.Fprintf(&out, "  R->>S: %s\n", now)
			}
			status, steady = now, rest[0] == "STABLE"
		case kind == "round":
			_, actions, _ := strings.Cut(strings.Join(rest, " "), ": ")
			for _, action := range strings.Split(actions, ", ") {
				for _, s := range said {
					if strings.HasPrefix(action, s.action) {
						fmt.Fprintf(&out, "  R->>%s: %s\n", s.at, s.words)
					}
				}
			}
		case kind == "event" && strings.Join(rest, " ") == "update Deployment demo":
			out.WriteString("  F->>R: the JobManager is ready\n")
		}
		if steady {
			break
		}
	}
	return out.String(), nil
}

// said are the actions of a transcript that the drawing has, by how they begin, and where they are done.
var said = []struct{ action, at, words string }{
	{"rehearse", "F", "dry run of the new objects"},
	{"record intent", "S", "record what is about to be done"},
	{"stop job", "F", "stop the job with a savepoint"},
	{"record end", "S", "record the path of the savepoint"},
	{"retire", "F", "stop the old JobManager"},
	{"delete cluster", "F", "delete the old cluster"},
	{"prepare start", "F", "prepare the new cluster, no replicas"},
	{"release", "F", "release it: replicas are set"},
}
