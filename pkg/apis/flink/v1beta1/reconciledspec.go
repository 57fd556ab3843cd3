package v1beta1

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/jsontext"
	"github.com/kn-flink/kn-flink/pkg/bounded"
)

// lastReconciledSpec and lastStableSpec are JSON texts in status:
//
//	{"spec":{…},"resource_metadata":{"apiVersion":"flink.apache.org/v1beta1","firstDeployment":true}}
//
// This file is the only one that parses and prints them. The text is that of
// the Java operator, so that either operator can read what the other wrote:
// keys in its order, nulls written, defaults filled in, doubles in its spelling.
// What cannot be told apart here is printed in one way: a text field that the
// user set to "" is printed as null. Older forms are read: without
// resource_metadata the whole object is the spec.
//
// "Stable" means that both texts are equal, so printing is deterministic.

// ReconciledMetadata stands beside the spec in a recorded text.
//
// +kubebuilder:object:generate=false
type ReconciledMetadata struct {
	// APIVersion of the resource when the text was written.
	APIVersion string `json:"apiVersion"`
	// FirstDeployment tells that the spec is the first one deployed, and that
	// no upgrade was made since.
	FirstDeployment bool `json:"firstDeployment"`
}

// NextMetadata is the metadata of the text that replaces the one in status:
// FirstDeployment is true while nothing was recorded, and stays true while the
// state is DEPLOYED and the replaced text says so. previous is the metadata of
// the text in status; nil when there is none or it is of an older form.
func NextMetadata(status ReconciliationStatus, previous *ReconciledMetadata) *ReconciledMetadata {
	first := status.IsBeforeFirstDeployment() ||
		(status.State == ReconciliationDeployed && previous != nil && previous.FirstDeployment)
	return &ReconciledMetadata{APIVersion: APIVersion, FirstDeployment: first}
}

// ReconciledDeployment is a recorded spec of a FlinkDeployment.
//
// +kubebuilder:object:generate=false
type ReconciledDeployment struct {
	// Spec recorded.
	Spec FlinkDeploymentSpec
	// Meta beside it; nil when the text was of an older form.
	Meta *ReconciledMetadata
}

// ParseReconciledDeployment reads a recorded text. The error says what is wrong
// with it.
func ParseReconciledDeployment(text string) (ReconciledDeployment, error) {
	spec, meta, err := parseRecord[FlinkDeploymentSpec](text)
	return ReconciledDeployment{Spec: spec, Meta: meta}, err
}

// Text prints the record. It fails only on a configuration or a pod template
// that is not JSON.
func (r ReconciledDeployment) Text() (string, error) {
	return printRecord(newDeploymentRecord(&r.Spec), r.Meta)
}

// ReconciledSessionJob is a recorded spec of a FlinkSessionJob.
//
// +kubebuilder:object:generate=false
type ReconciledSessionJob struct {
	// Spec recorded.
	Spec FlinkSessionJobSpec
	// Meta beside it; nil when the text was of an older form.
	Meta *ReconciledMetadata
}

// ParseReconciledSessionJob reads a recorded text. The error says what is wrong
// with it.
func ParseReconciledSessionJob(text string) (ReconciledSessionJob, error) {
	spec, meta, err := parseRecord[FlinkSessionJobSpec](text)
	return ReconciledSessionJob{Spec: spec, Meta: meta}, err
}

// Text prints the record. It fails only on a configuration that is not JSON.
func (r ReconciledSessionJob) Text() (string, error) {
	return printRecord(newSessionJobRecord(&r.Spec), r.Meta)
}

// ParseReconciledBlueGreen reads the lastReconciledSpec of a
// FlinkBlueGreenDeployment, which has no metadata.
func ParseReconciledBlueGreen(text string) (FlinkBlueGreenDeploymentSpec, error) {
	var record struct {
		Spec *FlinkBlueGreenDeploymentSpec `json:"spec"`
	}
	if err := json.Unmarshal([]byte(text), &record); err != nil {
		return FlinkBlueGreenDeploymentSpec{}, fmt.Errorf("recorded spec cannot be read: %w", err)
	}
	if record.Spec == nil {
		return FlinkBlueGreenDeploymentSpec{}, errors.New("recorded spec cannot be read: it has no spec")
	}
	return *record.Spec, nil
}

// ReconciledBlueGreenText prints the lastReconciledSpec of a
// FlinkBlueGreenDeployment.
func ReconciledBlueGreenText(spec *FlinkBlueGreenDeploymentSpec) (string, error) {
	return jsontext.Print(struct {
		Spec blueGreenRecord `json:"spec"`
	}{newBlueGreenRecord(spec)})
}

// What both operators print around the spec of a record.
const (
	recordBegins = `{"spec":`
	recordGoesOn = `,"resource_metadata":{"apiVersion":"` + APIVersion + `","firstDeployment":`
)

// printedRecord cuts a text that has the printed form, so that its spec is read
// once. What stands between is the spec if it is one JSON value.
func printedRecord(text string) (spec string, meta *ReconciledMetadata, ok bool) {
	spec, begins := strings.CutPrefix(text, recordBegins)
	spec, first := strings.CutSuffix(spec, recordGoesOn+"true}}")
	spec, later := strings.CutSuffix(spec, recordGoesOn+"false}}")
	return spec, &ReconciledMetadata{APIVersion: APIVersion, FirstDeployment: first}, begins && first != later
}

func parseRecord[Spec any](text string) (spec Spec, meta *ReconciledMetadata, err error) {
	if _, err := bounded.JSON(text, bounded.Spec); err != nil {
		return spec, nil, fmt.Errorf("recorded spec is %w: see docs/reference/limits.md", err)
	}
	if own, meta, ok := printedRecord(text); ok {
		var spec Spec
		if json.Unmarshal([]byte(own), &spec) == nil {
			return spec, meta, nil
		}
	}
	return parseAnyRecord[Spec](text)
}

// parseAnyRecord reads a record of any form.
func parseAnyRecord[Spec any](text string) (spec Spec, meta *ReconciledMetadata, err error) {
	var record struct {
		Spec json.RawMessage `json:"spec"`
		// Meta tells null (written so) from absent (older form).
		Meta json.RawMessage `json:"resource_metadata"`
	}
	if err := json.Unmarshal([]byte(text), &record); err != nil {
		return spec, nil, fmt.Errorf("recorded spec cannot be read: %w", err)
	}
	if record.Meta == nil {
		err = json.Unmarshal([]byte(text), &spec)
	} else if err = json.Unmarshal(record.Meta, &meta); err == nil && record.Spec != nil {
		err = json.Unmarshal(record.Spec, &spec)
	}
	if err != nil {
		var none Spec
		return none, nil, fmt.Errorf("recorded spec cannot be read: %w", err)
	}
	return spec, meta, nil
}

func printRecord(spec any, meta *ReconciledMetadata) (string, error) {
	if meta == nil {
		meta = &ReconciledMetadata{APIVersion: APIVersion}
	}
	text, err := jsontext.Print(struct {
		Spec any                 `json:"spec"`
		Meta *ReconciledMetadata `json:"resource_metadata"`
	}{spec, meta})
	if err != nil {
		return "", fmt.Errorf("spec cannot be recorded: %w", err)
	}
	return text, nil
}
