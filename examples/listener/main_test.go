package main

import (
	"testing"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"
)

func TestAnEventIsALine(t *testing.T) {
	for name, row := range map[string]struct{ kind, data, want string }{
		"a change": {"org.apache.flink.operator.status.v1",
			`{"oldLifecycleState":"DEPLOYED","lifecycleState":"STABLE","jobState":"RUNNING"}`,
			"default/FlinkDeployment/basic: DEPLOYED -> STABLE, job RUNNING"},
		"the first": {
			"org.apache.flink.operator.status.v1", `{"lifecycleState":"CREATED"}`, "default/FlinkDeployment/basic: CREATED",
		},
		"an error": {
			"org.apache.flink.operator.status.v1", `{"oldLifecycleState":"FAILED","lifecycleState":"FAILED","error":"why"}`,
			"default/FlinkDeployment/basic: FAILED, why",
		},
		"a notice": {
			"org.apache.flink.operator.event.v1", `{"type":"Normal","reason":"Submit","message":"Starting the job"}`,
			"default/FlinkDeployment/basic: Normal Submit: Starting the job",
		},
		"another": {"org.example.new.v1", `{}`, "default/FlinkDeployment/basic: org.example.new.v1"},
		"not an event": {"org.apache.flink.operator.event.v1", `[]`,
			"default/FlinkDeployment/basic: org.apache.flink.operator.event.v1, data that is not understood: "},
	} {
		t.Run(name, func(t *testing.T) {
			e := cloudevents.NewEvent()
			e.SetType(row.kind)
			e.SetSubject("default/FlinkDeployment/basic")
			e.SetTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local))
			if err := e.SetData(cloudevents.ApplicationJSON, []byte(row.data)); err != nil {
				t.Fatal(err)
			}
			got, want := line(e), "03:04:05 "+row.want
			if got != want && (row.data != `[]` || len(got) <= len(want) || got[:len(want)] != want) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}
