package memory

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// answer is what Flink 1.20.5 itself computed for one process.
type answer struct {
	Error bool
	// Figures in bytes. JobManager: process, Flink, metaspace, overhead, heap, off-heap. TaskManager: the first four,
	// framework heap and off-heap, task heap and off-heap, managed, network.
	Figures []int64
	CPU     string
	JVM     string
}

type vector struct {
	Config      conf.Config
	JobManager  answer
	TaskManager answer
}

// TestFlinkVectors: every figure and flag equals Flink's own, and what Flink refuses we refuse.
func TestFlinkVectors(t *testing.T) {
	text, err := os.ReadFile("testdata/flink-1.20.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []vector
	if err := json.Unmarshal(text, &vectors); err != nil || len(vectors) == 0 {
		t.Fatalf("no vectors: %v", err)
	}
	for _, v := range vectors {
		got := vector{
			Config:      v.Config,
			JobManager:  jobManagerAnswer(v.Config),
			TaskManager: taskManagerAnswer(v.Config),
		}
		if diff := cmp.Diff(v, got); diff != "" {
			t.Errorf("-Flink +ours:\n%s", diff)
		}
	}
}

func jobManagerAnswer(c conf.Config) answer {
	m, err := JobManagerProcess(c)
	if err != nil {
		return answer{Error: true}
	}
	return answer{
		Figures: []int64{m.Process, m.Flink, m.Metaspace, m.Overhead, m.Heap, m.OffHeap},
		JVM:     m.JVMArgs(),
	}
}

func taskManagerAnswer(c conf.Config) answer {
	m, err := TaskManagerProcess(c)
	if err != nil {
		return answer{Error: true}
	}
	return answer{
		Figures: []int64{
			m.Process,
			m.Flink,
			m.Metaspace,
			m.Overhead,
			m.FrameworkHeap,
			m.FrameworkOffHeap,
			m.TaskHeap,
			m.TaskOffHeap,
			m.Managed,
			m.Network,
		},
		CPU: syntax.FormatFloat(m.CPUCores), JVM: m.JVMArgs(),
	}
}
