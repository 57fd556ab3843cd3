package admission

import (
	"context"
	"encoding/json"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/extension"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/redact"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

// validators answers what the validators of the settings say. Those that need not answer, and do not, are a warning;
// one that must, and does not, denies: a pass would not accept the spec either.
func (h Handler) validators(
	ctx context.Context, r *admissionv1.AdmissionRequest,
) (*admissionv1.AdmissionResponse, error) {
	asked := flinkconf.For(h.Extensions.Validators, r.Kind.Kind, r.Namespace)
	if skip, err := h.skips(r); err != nil || skip || len(asked) == 0 {
		return allowed(), err
	}
	said := h.Asker.Validate(ctx, asked, r)
	response := allowed()
	if why := said.Refusal + said.Unanswered; why != "" {
		if said.Refusal != "" {
			why = said.Refusal
		}
		response = denied(why)
		h.Log.Infow("denied", telemetry.Key, key(r), telemetry.Reason, why)
	}
	response.Warnings = said.Warnings
	return response, nil
}

// mutators answers with what the mutators of the settings change, each on what the one before it left.
//
//	the mutator                  failure policy   then
//	allows, with or without      any              its patch
//	  a patch
//	denies                       any              denied
//	is silent, or its patch      Fail             denied
//	  cannot be applied          Ignore           a warning, and no patch of it
func (h Handler) mutators(
	ctx context.Context, r *admissionv1.AdmissionRequest,
) (*admissionv1.AdmissionResponse, error) {
	response, kind := allowed(), admissionv1.PatchTypeJSONPatch
	response.PatchType, response.Patch = &kind, noPatch
	asked := flinkconf.For(h.Extensions.Mutators, r.Kind.Kind, r.Namespace)
	if skip, err := h.skipsMutators(r); err != nil || skip || len(asked) == 0 {
		return response, err
	}
	question, secrets := r.DeepCopy(), extension.SecretsOf(asked, r)
	var operations []json.RawMessage
	for _, m := range asked {
		answer, err := h.Asker.Ask(ctx, m, question)
		if err == nil && !answer.Allowed {
			return denied(fmt.Sprintf("mutator %s refuses it: %s", m.Name, extension.Reason(answer, secrets))), nil
		}
		var more []json.RawMessage
		if err == nil {
			more, err = applied(question, answer)
		}
		switch {
		case err == nil:
			operations = append(operations, more...)
			for _, w := range answer.Warnings {
				response.Warnings = append(response.Warnings, secrets.Text(w))
			}
		case m.Ignore:
			response.Warnings = append(response.Warnings, fmt.Sprintf("mutator %s changed nothing: %v", m.Name, err))
		default:
			return denied(fmt.Sprintf("mutator %s does not answer: %v", m.Name, err)), nil
		}
	}
	if len(operations) > 0 {
		var err error
		if response.Patch, err = json.Marshal(operations); err != nil {
			return nil, err
		}
		h.Log.Infow("mutated", telemetry.Key, key(r), telemetry.Count, len(operations))
	}
	return response, nil
}

// applied applies the patch of an answer to the object of a question, and gives its operations.
func applied(question *admissionv1.AdmissionRequest, answer *admissionv1.AdmissionResponse) ([]json.RawMessage, error) {
	if len(answer.Patch) == 0 {
		return nil, nil
	}
	if answer.PatchType == nil || *answer.PatchType != admissionv1.PatchTypeJSONPatch {
		return nil, fmt.Errorf("its patch is not of type %s", admissionv1.PatchTypeJSONPatch)
	}
	var operations []json.RawMessage
	if err := json.Unmarshal(answer.Patch, &operations); err != nil {
		return nil, fmt.Errorf("its patch is no list of operations")
	}
	patch, err := jsonpatch.DecodePatch(answer.Patch)
	if err == nil {
		var text []byte
		if text, err = patch.Apply(question.Object.Raw); err == nil {
			question.Object.Raw = text
			return operations, nil
		}
	}
	return nil, fmt.Errorf("its patch cannot be applied: %s", redact.Text(err.Error()))
}

// skips says whether extensions are not asked: nothing is to be stored, or what is not judged by admit's own rules.
func (h Handler) skips(r *admissionv1.AdmissionRequest) (bool, error) {
	if len(r.Object.Raw) == 0 {
		_, err := withoutObject(r)
		return true, err
	}
	return h.leaves(r)
}

// skipsMutators is skips for mutators, which are asked about canaries, too: the label can be taken off, and no pass
// asks them.
func (h Handler) skipsMutators(r *admissionv1.AdmissionRequest) (bool, error) {
	if len(r.Object.Raw) == 0 {
		return h.skips(r)
	}
	object, err := metadataOf(r)
	return object.DeletionTimestamp != nil || h.unselected(r, object), err
}

// leaves says whether an object is not to be judged.
func (h Handler) leaves(r *admissionv1.AdmissionRequest) (bool, error) {
	object, err := metadataOf(r)
	if err != nil {
		return false, err
	}
	return exempt(object) || h.unselected(r, object), nil
}

// unselected says whether the object is another installation's, by its namespace or its labels.
func (h Handler) unselected(r *admissionv1.AdmissionRequest, object metav1.PartialObjectMetadata) bool {
	return h.foreign(r) || (h.Selects != nil && !h.Selects(object.Labels))
}

// The paths by which the API server asks what extensions say; package extension has the webhooks.
const (
	// ValidatorsPath answers whether validators let an object be stored.
	ValidatorsPath = extension.ValidatePath
	// MutatorsPath answers what mutators change in an object first.
	MutatorsPath = extension.MutatePath
)
