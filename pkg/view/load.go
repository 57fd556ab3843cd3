package view

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Loads are the jobs with what Flink says of them now.
type Loads struct {
	metav1.TypeMeta `json:",inline"`
	// Jobs are a row each.
	Jobs []Load `json:"jobs"`
	// Unreadable says what could not be read.
	Unreadable []string `json:"unreadable,omitempty"`
}

// LoadsOf are rows as a view.
func LoadsOf(jobs []Load, unreadable []string) Loads {
	return Loads{metav1.TypeMeta{APIVersion: Version, Kind: "TopView"}, jobs, unreadable}
}

// Load is a job with what Flink says of it now.
type Load struct {
	Row `json:"resource"`
	// CPU is how many cores the pods of its cluster use; absent where Kubernetes does not measure it, and for a session
	// job.
	CPU *float64 `json:"cpu,omitempty"`
	// Memory is how many bytes its pods use; absent in the same cases.
	Memory *float64 `json:"memory,omitempty"`
	// CPUAsked is how many cores the pods of its cluster ask for; absent when its status does not say.
	CPUAsked *float64 `json:"cpuAsked,omitempty"`
	// MemoryAsked is how many bytes they ask for; absent in the same case.
	MemoryAsked *float64 `json:"memoryAsked,omitempty"`
	// TaskManagers is how many are registered; nil when Flink does not say.
	TaskManagers *int `json:"taskManagers,omitempty"`
	// Checkpoint is when the newest one was triggered; absent without one.
	Checkpoint *time.Time `json:"checkpoint,omitempty"`
	// Took is how long it took, in milliseconds.
	Took int64 `json:"took,omitempty"`
	// StateSize is the size of its state, in bytes.
	StateSize int64 `json:"stateSize,omitempty"`
	// Restarts is how often Flink has restarted the job since it began, as text; empty when it does not say.
	Restarts string `json:"restarts,omitempty"`
	// Vertices are those of the job.
	Vertices []VertexLoad `json:"vertices,omitempty"`
	// Why says why there are no figures; empty when there are.
	Why string `json:"why,omitempty"`
}

// VertexLoad is the load of one vertex.
type VertexLoad struct {
	// ID is its ID, Name its name.
	ID string `json:"id"`
	// Name is that of the operator chain.
	Name string `json:"name"`
	// Parallelism is the number of its subtasks.
	Parallelism int `json:"parallelism"`
	// Busy is the mean share of its time in which it works; absent when Flink does not say.
	Busy *float64 `json:"busy,omitempty"`
	// BackPressured is the mean share in which it waits for what follows it.
	BackPressured *float64 `json:"backPressured,omitempty"`
	// In is how many records a second come in.
	In *float64 `json:"in,omitempty"`
	// Out is how many go out.
	Out *float64 `json:"out,omitempty"`
	// Lag is how many records wait in front of a source; absent where it does not count them, and for others.
	Lag *float64 `json:"lag,omitempty"`
}

// LoadOf is a job before Flink was asked.
func LoadOf(object *unstructured.Unstructured) Load {
	s, _ := read(object) // what cannot be read asks for nothing that is known
	asked := func(name string) *float64 {
		n, err := strconv.ParseFloat(s.Status.ClusterInfo[name], 64)
		if err != nil {
			return nil
		}
		return Figure(n)
	}
	return Load{Row: RowOf(object), CPUAsked: asked("total-cpu"), MemoryAsked: asked("total-memory")}
}

// Figure is a number, or nil where it is none.
func Figure(of float64) *float64 {
	if math.IsNaN(of) || math.IsInf(of, 0) {
		return nil
	}
	return &of
}

// Text is the table of them.
func (l Loads) Text(now time.Time, noHeaders bool) string {
	table := [][]string{{
		"NAME", "JOB", "CPU", "MEMORY", "TASKMANAGERS", "BUSY", "BACKPRESSURED", "LAG", "CHECKPOINT", "STATE", "RESTARTS",
		"NOTE",
	}}
	if noHeaders {
		table = nil
	}
	for _, j := range l.Jobs {
		managers, checkpoint, state := "-", ago(j.Checkpoint, now), "-"
		if j.TaskManagers != nil {
			managers = fmt.Sprint(*j.TaskManagers)
		}
		if j.Checkpoint != nil {
			checkpoint += fmt.Sprintf(" (%.1f s)", float64(j.Took)/1000)
			state = bytesText(j.StateSize)
		}
		busy, pressed := busiest(j.Vertices)
		table = append(table, []string{
			j.Name, dash(j.Job), used(j.CPU, j.CPUAsked, "", 1), used(j.Memory, j.MemoryAsked, " GiB", 1<<30), managers,
			share(busy), share(pressed), rate(j.lag()), checkpoint, state, dash(j.Restarts), brief(j.Why, nowWidth),
		})
	}
	text := columns(table)
	for _, u := range l.Unreadable {
		text += "not read: " + u + "\n"
	}
	return text
}

// VerticesText is the table of the vertices of one job. The busiest one is marked where another waits for it.
func (l Load) VerticesText(noHeaders bool) string {
	table := [][]string{{"VERTEX", "PARALLELISM", "BUSY", "BACKPRESSURED", "IN/S", "OUT/S", "LAG", ""}}
	if noHeaders {
		table = nil
	}
	busy, pressed := busiest(l.Vertices)
	for _, v := range l.Vertices {
		mark := ""
		if pressed != nil && *pressed >= 0.1 && v.Busy != nil && *v.Busy == *busy {
			mark = "<- bottleneck"
		}
		table = append(table, []string{
			brief(v.Name, 60), fmt.Sprint(v.Parallelism), share(v.Busy), share(v.BackPressured), rate(v.In), rate(v.Out),
			rate(v.Lag), mark,
		})
	}
	return columns(table)
}

// lag is that of all sources; nil where none counts it.
func (l Load) lag() *float64 {
	var all *float64
	for _, v := range l.Vertices {
		if v.Lag != nil {
			sum := *v.Lag
			if all != nil {
				sum += *all
			}
			all = &sum
		}
	}
	return all
}

// used is what is used of what was asked for, in a unit.
func used(of, asked *float64, unit string, size float64) string {
	switch {
	case of == nil:
		return "-"
	case asked == nil:
		return fmt.Sprintf("%.1f%s", *of/size, unit)
	}
	return fmt.Sprintf("%.1f/%.1f%s", *of/size, *asked/size, unit)
}

// busiest are the highest shares of any vertex; nil where none is known.
func busiest(all []VertexLoad) (busy, pressed *float64) {
	highest := func(of func(VertexLoad) *float64) *float64 {
		var known []float64
		for _, v := range all {
			if share := of(v); share != nil {
				known = append(known, *share)
			}
		}
		if known == nil {
			return nil
		}
		most := slices.Max(known)
		return &most
	}
	return highest(func(v VertexLoad) *float64 { return v.Busy }),
		highest(func(v VertexLoad) *float64 { return v.BackPressured })
}

func share(of *float64) string {
	if of == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", *of*100)
}

// rate is a number in three digits, as 1.2k.
func rate(of *float64) string {
	if of == nil {
		return "-"
	}
	n, unit := *of, ""
	for _, next := range []string{"k", "M", "G"} {
		if n < 1000 {
			break
		}
		n, unit = n/1000, next
	}
	if unit == "" {
		return fmt.Sprintf("%.0f", n)
	}
	return fmt.Sprintf("%.1f%s", n, unit)
}

// bytesText is a size as 2.1 GiB.
func bytesText(n int64) string {
	size, unit := float64(n), "B"
	for _, next := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if size < 1024 {
			break
		}
		size, unit = size/1024, next
	}
	if unit == "B" {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", size, unit)
}
