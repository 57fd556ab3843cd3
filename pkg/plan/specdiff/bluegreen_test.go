package specdiff_test

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

// T11.29: what a change of a pair is.
func TestBlueGreen(t *testing.T) {
	type blueGreen = v1beta1.FlinkBlueGreenDeploymentSpec
	suspended := func(s *blueGreen) { s.Template.Spec.Job.State = v1beta1.JobStateSuspended }
	running := func(s *blueGreen) { s.Template.Spec.Job.State = v1beta1.JobStateRunning }
	configuration := func(s *blueGreen) { s.Configuration = map[string]string{"a": "b"} }
	ignorable := func(s *blueGreen) { s.Template.Spec.Job.AllowNonRestoredState = ptr(true) }
	redeploy := func(s *blueGreen) { s.Template.Spec.Job.SavepointRedeployNonce = ptr(int64(1)) }
	parallelism := func(s *blueGreen) { s.Template.Spec.Job.Parallelism = 9 }
	version := func(s *blueGreen) { s.Template.Spec.FlinkVersion = v1beta1.FlinkV2_2 }
	conf := func(text string) func(*blueGreen) {
		return func(s *blueGreen) { s.Template.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(text) }
	}
	for name, row := range map[string]struct {
		reason         string
		before, change []func(*blueGreen)
		want           specdiff.BlueGreenKind
	}{
		"nothing": {reason: "the same spec", want: specdiff.BlueGreenIgnore},
		"metadata": {
			"it is never used",
			nil,
			[]func(*blueGreen){func(s *blueGreen) { s.Template.Metadata = []byte(`{"labels":{"a":"b"}}`) }},
			specdiff.BlueGreenIgnore,
		},
		"configuration": {"it steers the operator", nil, []func(*blueGreen){configuration},
			specdiff.BlueGreenIgnore},
		"ingress": {"it follows the active child by itself", nil,
			[]func(*blueGreen){func(s *blueGreen) { s.Ingress = &v1beta1.IngressSpec{Template: "x"} }},
			specdiff.BlueGreenIgnore},
		"template leftovers": {"Kubernetes does not read them", nil, []func(*blueGreen){func(s *blueGreen) {
			s.Template.Spec.PodTemplate = loose(t, `{"apiVersion":"v1","spec":{"hostname":"h"}}`)
			s.Template.Spec.JobManager.PodTemplate = loose(t, `{"kind":"Pod","spec":{"hostname":"h"}}`)
			s.Template.Spec.TaskManager.PodTemplate = loose(t, `{"x":1,"spec":{"hostname":"h"}}`)
		}}, specdiff.BlueGreenIgnore},
		"suspend": {
			"the user asks for it",
			nil,
			[]func(*blueGreen){suspended},
			specdiff.BlueGreenSuspend,
		},
		"suspend and more": {
			"stopping comes before anything else",
			nil,
			[]func(*blueGreen){suspended, parallelism, redeploy},
			specdiff.BlueGreenSuspend,
		},
		"resume": {
			"the user asks for it",
			[]func(*blueGreen){suspended},
			[]func(*blueGreen){running},
			specdiff.BlueGreenResume,
		},
		"resume by default": {
			"no state is running",
			[]func(*blueGreen){suspended},
			[]func(*blueGreen){func(s *blueGreen) { s.Template.Spec.Job.State = "" }},
			specdiff.BlueGreenResume,
		},
		"resume by no job": {
			"no job counts as running",
			[]func(*blueGreen){suspended},
			[]func(*blueGreen){func(s *blueGreen) { s.Template.Spec.Job = nil }},
			specdiff.BlueGreenResume,
		},
		"resume and redeploy": {
			"it has to run before it can be replaced",
			[]func(*blueGreen){suspended},
			[]func(*blueGreen){running, redeploy},
			specdiff.BlueGreenResume,
		},
		"stay suspended": {
			"nothing differs",
			[]func(*blueGreen){suspended},
			nil,
			specdiff.BlueGreenIgnore,
		},
		"redeploy": {
			"the user names the state",
			nil,
			[]func(*blueGreen){redeploy},
			specdiff.BlueGreenSavepointRedeploy,
		},
		"redeploy, jar": {
			"the nonce decides",
			nil,
			[]func(*blueGreen){redeploy, func(s *blueGreen) { s.Template.Spec.Job.JarURI = "x" }},
			specdiff.BlueGreenSavepointRedeploy,
		},
		"redeploy, parallel": {
			"the nonce decides",
			nil,
			[]func(*blueGreen){redeploy, parallelism},
			specdiff.BlueGreenSavepointRedeploy,
		},
		"redeploy, version": {
			"the nonce decides",
			nil,
			[]func(*blueGreen){redeploy, version},
			specdiff.BlueGreenSavepointRedeploy,
		},
		"redeploy, options": {
			"the nonce decides",
			nil,
			[]func(*blueGreen){redeploy, configuration},
			specdiff.BlueGreenSavepointRedeploy,
		},
		"ignored field": {
			"the child has to know it, and no more",
			nil,
			[]func(*blueGreen){ignorable},
			specdiff.BlueGreenPatchChild,
		},
		"ignored, options": {
			"options change nothing",
			nil,
			[]func(*blueGreen){ignorable, configuration},
			specdiff.BlueGreenPatchChild,
		},
		"ignored key": {
			"the child has to know it, and no more",
			nil,
			[]func(*blueGreen){conf(`{"taskmanager.numberOfTaskSlots":"2","job.autoscaler.enabled":"true"}`)},
			specdiff.BlueGreenPatchChild,
		},
		"nested configuration": {
			"the same for Flink, another object",
			nil,
			[]func(*blueGreen){conf(`{"taskmanager":{"numberOfTaskSlots":"2"}}`)},
			specdiff.BlueGreenPatchChild,
		},
		"nonce taken away": {
			"no change, another object",
			[]func(*blueGreen){redeploy},
			[]func(*blueGreen){func(s *blueGreen) { s.Template.Spec.Job.SavepointRedeployNonce = nil }},
			specdiff.BlueGreenPatchChild,
		},
		"parallelism": {
			"a new child",
			nil,
			[]func(*blueGreen){parallelism},
			specdiff.BlueGreenTransition,
		},
		"version": {
			"a new child",
			nil,
			[]func(*blueGreen){version},
			specdiff.BlueGreenTransition,
		},
		"parallelism, options": {
			"a new child",
			nil,
			[]func(*blueGreen){parallelism, configuration},
			specdiff.BlueGreenTransition,
		},
		"overrides": {"what scales in place elsewhere is a new child here", nil,
			[]func(*blueGreen){conf(`{"pipeline.jobvertex-parallelism-overrides":"a:1"}`)}, specdiff.BlueGreenTransition},
		"standalone parallelism": {"compared by the native table whatever the mode",
			[]func(*blueGreen){func(s *blueGreen) { s.Template.Spec.Mode = v1beta1.ModeStandalone }},
			[]func(*blueGreen){parallelism}, specdiff.BlueGreenTransition},
	} {
		t.Run(name, func(t *testing.T) {
			was := &blueGreen{Template: &v1beta1.FlinkDeploymentTemplate{Spec: application(t)}}
			now := &blueGreen{Template: &v1beta1.FlinkDeploymentTemplate{Spec: application(t)}}
			for _, s := range []*blueGreen{was, now} {
				if name == "template leftovers" {
					for _, target := range []**v1beta1.PodTemplate{
						&s.Template.Spec.PodTemplate, &s.Template.Spec.JobManager.PodTemplate,
						&s.Template.Spec.TaskManager.PodTemplate,
					} {
						*target = loose(t, `{"spec":{"hostname":"h"}}`)
					}
				}
				for _, before := range row.before {
					before(s)
				}
			}
			for _, change := range row.change {
				change(now)
			}
			if got := specdiff.ClassifyBlueGreen(was, now); got.Kind != row.want {
				t.Errorf("%s: %s (%s), want %s", row.reason, got.Kind, got.Template.Text, row.want)
			}
		})
	}
}

func TestBlueGreenWithoutTemplateIsIncomplete(t *testing.T) {
	whole := &v1beta1.FlinkBlueGreenDeploymentSpec{Template: &v1beta1.FlinkDeploymentTemplate{Spec: application(t)}}
	for reason, missing := range map[string]*v1beta1.FlinkBlueGreenDeploymentSpec{
		"no spec":          nil,
		"no template":      {},
		"no template.spec": {Template: &v1beta1.FlinkDeploymentTemplate{}},
	} {
		if got := specdiff.ClassifyBlueGreen(missing, whole).Kind; got != specdiff.BlueGreenIncomplete {
			t.Errorf("%s before: %s", reason, got)
		}
		if got := specdiff.ClassifyBlueGreen(whole, missing).Kind; got != specdiff.BlueGreenIncomplete {
			t.Errorf("%s after: %s", reason, got)
		}
	}
}
