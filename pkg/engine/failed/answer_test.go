package failed

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/drawing"
)

func TestAnswersAreAsDrawn(t *testing.T) {
	drawn := drawing.Read(t, "answer.go", "AnswerTo")
	rows := []struct {
		row    string
		effect Effect
	}{
		{"F1", Effect{Action: plan.ApplyIngress{}, Kind: fail.Conflict}},
		{"F1", Effect{Action: plan.ApplyIngress{}, Kind: fail.Denied}},
		{"F2", Effect{Action: plan.DeleteIngress{}, Kind: fail.Transient}},
		{"F3", Effect{Action: plan.Rehearse{}, Kind: fail.Invalid}},
		{"F3", Effect{Action: plan.Rehearse{}, Kind: fail.Transient}},
		{"F4", Effect{Action: plan.CreateSnapshot{}, Kind: fail.Denied}},
		{"F4", Effect{Action: plan.DeleteSnapshot{}, Kind: fail.Transient}},
		{"F5", Effect{Action: plan.UploadJar{}, Kind: fail.Transient}},
		{"F5", Effect{Action: plan.RunJar{}, Kind: fail.Invalid}},
		{"F6", Effect{Action: plan.PrepareStart{}, Kind: fail.Transient}},
		{"F6", Effect{Kind: fail.Transient}},
		{"F7", Effect{Action: plan.DeleteIngress{}, Kind: fail.Conflict}},
		{"F7", Effect{Action: plan.CreateSnapshot{}, Kind: fail.Conflict}},
		{"F7", Effect{Action: plan.RunJar{}, Kind: fail.Conflict}},
		{"F7", Effect{Action: plan.Rehearse{}, Kind: fail.Transient, Ours: true}},
		{"F7", Effect{Action: plan.PrepareStart{}, Kind: fail.Bug}},
		{"F8", Effect{Kind: fail.Denied, Reason: fail.ReasonTooLarge}},
		{"F8", Effect{Action: plan.Record{}, Kind: fail.Invalid, Reason: fail.ReasonTooLarge}},
		{"F9", Effect{Action: plan.Rescale{}, Kind: fail.Invalid}},
		{"F10", Effect{Action: plan.DisposeSavepoint{}, Kind: fail.Invalid}},
		{"F11", Effect{Action: plan.TriggerSavepoint{}, Kind: fail.Invalid}},
		{"F11", Effect{Action: plan.TriggerCheckpoint{}, Kind: fail.Invalid}},
		{"F12", Effect{Action: plan.PrepareStart{}, Kind: fail.Denied}},
		{"F13", Effect{Action: plan.Rescale{}, Kind: fail.Denied}},
		{"F13", Effect{Action: plan.Retire{}, Kind: fail.Invalid}},
		{"F12", Effect{Action: plan.PrepareStart{}, Kind: fail.Denied, Reason: fail.ReasonTooLarge}},
	}
	var shown []string
	for _, row := range rows {
		shown = append(shown, row.row)
		if err := drawn.Holds(row.row, drawing.Row{"answer": string(AnswerTo(row.effect))}); err != nil {
			t.Errorf("%+v: %v", row.effect, err)
		}
	}
	if err := drawn.Shown("AnswerTo", shown...); err != nil {
		t.Error(err)
	}
}
