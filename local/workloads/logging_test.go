package workloads

import (
	"context"
	"regexp"
	"testing"
)

// ofDefault is how a line begins that the default configuration makes.
var ofDefault = regexp.MustCompile(`(?m)^\d{4}-\d\d-\d\d .*$`)

// printedAs waits until the JobManager and the TaskManagers of a job have printed lines in a pattern, which says (?m),
// and holds that none is in the default one.
func printedAs(t *testing.T, name string, pattern ...string) (all string) {
	t.Helper()
	for _, component := range []string{"jobmanager", "taskmanager"} {
		selector := "app=" + name + ",component=" + component
		for _, p := range pattern {
			ns.Eventually(t, component+" prints "+p, func(context.Context) (bool, error) {
				return regexp.MustCompile(p).MatchString(ns.Printed(t, selector)), nil
			})
		}
		text := ns.Printed(t, selector)
		if line := ofDefault.FindString(text); line != "" {
			t.Errorf("%s prints as by default: %s", component, line)
		}
		all += text
	}
	return all
}

// TestLogConfigurationIsOfOneJob: the pods' logs have the levels and the pattern that the resource says.
func TestLogConfigurationIsOfOneJob(t *testing.T) {
	const name = "custom-logging"
	ns.Apply(t, ns.Example(t, name+".yaml"))
	ns.Stable(t, name, nil)
	const line = `(?m)^\d\d:\d\d:\d\d,\d{3} `
	text := printedAs(t, name, line+`INFO  \w+ - `, line+`DEBUG \w+ - `)
	if said := regexp.MustCompile(line + `DEBUG AbstractWatchManager - .*$`).FindString(text); said != "" {
		t.Errorf("the client of Kubernetes is to be at INFO: %s", said)
	}
}
