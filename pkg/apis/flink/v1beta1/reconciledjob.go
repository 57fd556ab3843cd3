package v1beta1

import (
	"encoding/json"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/jsontext"
)

// ReconciledJobState reads only the state of the job in a recorded text; empty
// when there is no job or the text cannot be read.
func ReconciledJobState(text string) JobState {
	if spec, _, printed := printedRecord(text); printed {
		if state, ok := scanJobState(spec); ok {
			return state
		}
	}
	return decodeJobState(text)
}

// scanJobState scans a spec that has its job first, as it is printed, for the
// state of that. It answers false where it is not so, or the spec is no JSON.
func scanJobState(spec string) (state JobState, ok bool) {
	s := jsontext.NewScan(spec)
	if s.Next() != '{' {
		return "", false
	}
	jobs := 0
	ok = s.Members('}', func() bool {
		name, ok := s.Name()
		switch {
		case !ok:
			return false
		case name == "job":
			jobs++
			state, ok = scanState(s)
			return ok
		case strings.EqualFold(name, "job"):
			return false
		}
		return s.Skip()
	})
	return state, ok && jobs == 1 && s.Ends()
}

// scanState scans a job for its state.
func scanState(s *jsontext.Scan) (state JobState, ok bool) {
	if s.Peek() != '{' {
		word, _ := s.Word()
		return "", word == "null"
	}
	s.Next()
	states := 0
	state = JobStateRunning
	ok = s.Members('}', func() bool {
		name, ok := s.Name()
		switch {
		case !ok:
			return false
		case name == "state":
			states++
			text, ok := s.Text()
			state = JobState(text)
			return ok && text != ""
		case strings.EqualFold(name, "state"):
			return false
		}
		return s.Skip()
	})
	return state, ok && states <= 1
}

// decodeJobState reads a text of any form.
func decodeJobState(text string) JobState {
	type withJob struct {
		Job *struct {
			State JobState `json:"state"`
		} `json:"job"`
	}
	var record struct {
		withJob
		Spec *withJob `json:"spec"`
	}
	if json.Unmarshal([]byte(text), &record) != nil {
		return ""
	}
	job := record.Job
	if record.Spec != nil {
		job = record.Spec.Job
	}
	switch {
	case job == nil:
		return ""
	case job.State == "":
		return JobStateRunning
	default:
		return job.State
	}
}
