package flinkrest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/test/peak"
)

// TestAnAnswerFitsIntoHalfOfTheMemory: whatever a JobManager answers. What is too long is an error that says so, and
// never a part of a list.
func TestAnAnswerFitsIntoHalfOfTheMemory(t *testing.T) {
	const goMemLimit, half = 110 * peak.MiB, 128 * peak.MiB // config/knative/310-observe.yaml
	const id = "0123456789abcdef0123456789abcdef"
	repeated := func(item string, bytes int) string { return strings.Repeat(item+",", bytes/(len(item)+1)) + item }
	jobs := func(c *flinkrest.Client) (int, error) {
		all, err := c.Jobs(context.Background())
		return len(all), err
	}
	job := func(c *flinkrest.Client) (int, error) {
		one, err := c.Job(context.Background(), id)
		return len(one.Vertices), err
	}
	exceptions := func(c *flinkrest.Client) (int, error) {
		all, err := c.JobExceptions(context.Background(), id, 0)
		return len(all.Entries), err
	}
	checkpoints := func(c *flinkrest.Client) (int, error) {
		all, err := c.CheckpointStatistics(context.Background(), id)
		return len(all.History), err
	}
	empty := repeated(`{}`, 3<<20)
	one := `{"jid":"` + id + `","tasks":{"total":1,"running":1}}`
	for name, row := range map[string]struct {
		ask  func(*flinkrest.Client) (int, error)
		text string
		want int
		says string // of the error; empty: none
	}{
		"empty jobs":        {jobs, `{"jobs":[` + repeated(`{}`, 3_900_000) + `]}`, 0, "more than 10000 jobs"},
		"empty jobs, 14 MB": {jobs, `{"jobs":[` + repeated(`{}`, 14<<20) + `]}`, 0, "more than 10000 jobs"},
		"as many jobs as may": {
			jobs, `{"jobs":[` + strings.Repeat(one+`,`, 9_999) + one + `]}`, 10_000, "",
		},
		"one job more":     {jobs, `{"jobs":[` + strings.Repeat(one+`,`, 10_000) + one + `]}`, 0, "more than 10000 jobs"},
		"a job of many":    {jobs, `{"jobs":[{"jid":"` + id + `","tasks":{` + tasks(50_000) + `}}]}`, 0, "jobs is too large"},
		"empty vertices":   {job, `{"jid":"` + id + `","vertices":[` + empty + `]}`, 0, "more than 10000 vertices"},
		"empty nodes":      {job, `{"jid":"` + id + `","plan":{"nodes":[` + empty + `]}}`, 0, "plan.nodes"},
		"many states":      {job, `{"jid":"` + id + `","timestamps":{` + tasks(200_000) + `}}`, 0, "timestamps is too large"},
		"a long text":      {jobs, `{"jobs":[],"x":"` + strings.Repeat("x", 5<<20) + `"}`, 0, "longer than 4194304 bytes"},
		"unknown members":  {jobs, `{"jobs":[],"x":[` + empty + `]}`, 0, "x is too large"},
		"nested":           {jobs, `{"jobs":[],"x":` + strings.Repeat(`[`, 3<<20), 0, "too large"},
		"empty exceptions": {exceptions, `{"exceptionHistory":{"entries":[` + repeated(`{}`, 15<<20) + `]}}`, 0, "too large"},
		"nested exceptions": {
			exceptions, `{"exceptionHistory":{"entries":[` + strings.Repeat(`{"concurrentExceptions":[`, 500_000), 0,
			"too large",
		},
		"long traces": {
			exceptions, `{"exceptionHistory":{"entries":[{"exceptionName":"a","stacktrace":"` +
				strings.Repeat(`at a.b(c.java:1)\n`, 800_000) + `"}]}}`, 1, "",
		},
		"many traces": {
			exceptions, `{"exceptionHistory":{"entries":[` +
				repeated(`{"exceptionName":"a","stacktrace":"`+strings.Repeat(`at a.b(c.java:1)\n`, 100)+`"}`, 14<<20) + `]}}`,
			7_900, "",
		},
		"checkpoints": {checkpoints, `{"counts":{},"history":[` + empty + `]}`, 0, "more than 50000 values"},
		"a refusal": {
			jobs, "!" + `{"errors":[` + repeated(`""`, 14<<20) + `]}`, 0,
			"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			text, refuses := strings.CutPrefix(row.text, "!")
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if refuses {
					w.WriteHeader(http.StatusInternalServerError)
				}
				_, _ = w.Write([]byte(text))
			}))
			defer server.Close()
			client, err := flinkrest.New(flinkrest.Options{BaseURL: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			var got int
			highest := peak.Of(t, goMemLimit, func() { got, err = row.ask(client) })
			t.Logf("%d KiB, peak %d MiB", len(text)>>10, highest/peak.MiB)
			if highest > half {
				t.Errorf("%d MiB, want at most %d", highest/peak.MiB, half/peak.MiB)
			}
			switch {
			case refuses:
				if err == nil || !flinkrest.Unknown(err) {
					t.Errorf("%v, want that nothing is known", err)
				}
			case row.says == "":
				if err != nil || got < row.want {
					t.Errorf("%d, %v, want %d", got, err, row.want)
				}
			case !errors.Is(err, flinkrest.ErrMalformed) || !strings.Contains(err.Error(), row.says):
				t.Errorf("%d, %v, want an error with %q", got, err, row.says)
			}
		})
	}
}

// tasks are so many entries.
func tasks(n int) string {
	text := &strings.Builder{}
	for i := range n {
		_, _ = fmt.Fprintf(text, `"t%d":1,`, i)
	}
	return text.String() + `"z":1`
}
