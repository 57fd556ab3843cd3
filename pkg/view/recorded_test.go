package view_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/view"
	"github.com/kn-flink/kn-flink/pkg/view/advice"
	"github.com/kn-flink/kn-flink/test/golden"
	"github.com/kn-flink/kn-flink/test/judged"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

var update = flag.Bool("update", false, "write the golden files anew")

// now is some time after the stories of test/scenario began.
var now = time.Date(2026, 1, 1, 13, 0, 0, 0, time.UTC)

// recorded are the resources whose status a pass left in a story of test/scenario, by what they show.
func recorded(t *testing.T) (names []string, resources map[string]*unstructured.Unstructured) {
	t.Helper()
	resources = map[string]*unstructured.Unstructured{}
	for _, one := range judged.Read(t, "../..") {
		u := one.Resource
		name := u.GetKind() + ": " + strings.TrimSpace(strings.TrimPrefix(one.Shows, u.GetKind()))
		names, resources[name] = append(names, name), u
	}
	slices.Sort(names)
	return slices.Compact(names), resources
}

// held holds a text to a file of testdata.
func held(t *testing.T, name, text string) {
	t.Helper()
	golden.Compare(t, filepath.Join("testdata", name), text, *update, "make generate")
}

// Row C2: every status that a story of test/scenario left has a describe and a why.
func TestC2EveryRecordedStatusIsTold(t *testing.T) {
	names, resources := recorded(t)
	if len(names) < 100 {
		t.Fatalf("%d statuses: the file is read differently now", len(names))
	}
	var whys, jobs, rows strings.Builder
	for _, name := range names {
		seen := view.Seen{Resource: resources[name], Now: now}
		fmt.Fprintf(&whys, "# %s\n%s\n", name, view.Why(seen).Text(now))
		fmt.Fprintf(&jobs, "# %s\n%s\n", name, view.JobOf(seen).Text(now, true))
		fmt.Fprintf(&rows, "# %s\n%s", name, view.List([]view.Row{view.RowOf(resources[name])}, view.Style{
			Now: now, NoHeaders: true, Wide: true,
		}))
	}
	held(t, "why.txt", whys.String())
	held(t, "describe.txt", jobs.String())
	held(t, "list.txt", rows.String())
}

// Row C2: no reason without something to do, or that it continues by itself.
func TestC2EveryStoryHasSomethingToDo(t *testing.T) {
	names, resources := recorded(t)
	for _, name := range names {
		story := view.Why(view.Seen{Resource: resources[name], Now: now})
		if story.Do == "" || story.What == "" {
			t.Errorf("%s: what %q, do %q", name, story.What, story.Do)
		}
		if reason, _, _ := strings.Cut(story.What, ":"); story.Need == view.NeedUser {
			if _, known := advice.Of(reason, "flinkdeployments", "demo"); !known {
				t.Errorf("%s waits for a user, and nothing is known of its reason %q", name, reason)
			}
		}
	}
}

// timed has times where a recording has only that there was one.
func timed(text string) string {
	text = regexp.MustCompile(`(?i)(\w+timestamp): <time>`).ReplaceAllString(text, "$1: 1767268824400")
	text = regexp.MustCompile(`(startTime|updateTime): <time>`).ReplaceAllString(text, "$1: '1767268824400'")
	return strings.ReplaceAll(text, "<time>", `"2026-01-01T12:00:00Z"`)
}

// Row C10: what the Java operator left of its resources, as recorded, is told without an error.
func TestC10WhatTheJavaOperatorLeftIsTold(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*/cr.yaml", "*/*/cr.yaml"} {
		found, err := filepath.Glob(filepath.Join("../render/testdata/reference", pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	statuses := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		u := kubesim.Parse(t, timed(string(text)))
		if u.Object["status"] != nil {
			statuses++
		}
		seen := view.Seen{Resource: u, Now: now}
		story, job := view.Why(seen), view.JobOf(seen)
		if strings.Contains(story.What, "Unreadable") || story.Do == "" || job.Text(now, true) == "" {
			t.Errorf("%s: %s", file, story.Text(now))
		}
	}
	if statuses < 5 {
		t.Errorf("%d statuses in %d files: they are elsewhere now", statuses, len(files))
	}
}
