package validation_test

import (
	"strings"
	"testing"

	"knative.dev/pkg/apis"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

func TestDeploymentChange(t *testing.T) {
	type spec = v1beta1.FlinkDeploymentSpec
	session := func(s *spec) { s.Job = nil }
	mode := func(m v1beta1.Mode) func(*spec) { return func(s *spec) { s.Mode = m } }
	redeploy := func(nonce *int64, path string) func(*spec) {
		return func(s *spec) { s.Job.SavepointRedeployNonce, s.Job.InitialSavepointPath = nonce, path }
	}
	none, first, second := (*int64)(nil), ptr(int64(1)), ptr(int64(2))
	unchanged := func(*spec) {}
	toStandalone := one("spec.mode", "Cannot switch from native kubernetes to standalone kubernetes cluster")
	toNative := one("spec.mode", "Cannot switch from standalone kubernetes to native kubernetes cluster")
	noPath := one("spec.job.initialSavepointPath", "InitialSavepointPath must not be empty for savepoint redeployment")
	for name, row := range map[string]struct {
		reason   string
		was, now func(*spec)
		want     []finding
	}{
		"nothing": {"the spec as it was", unchanged, unchanged, nil},
		"restore after a suspend": {
			"what savepoints are for",
			func(s *spec) { s.Job.State = v1beta1.JobStateSuspended },
			func(s *spec) { s.Job.UpgradeMode = v1beta1.UpgradeModeSavepoint },
			nil,
		},
		"application to session": {
			"the job would be lost",
			unchanged,
			session,
			one("spec.job", "Cannot switch from job to session cluster"),
		},
		"session to application": {
			"the session's jobs would be lost",
			session,
			unchanged,
			one("spec.job", "Cannot switch from session to job cluster"),
		},
		"session stays": {"the spec as it was", session, session, nil},
		"native to standalone": {
			"other objects, other owners",
			mode(v1beta1.ModeNative),
			mode(v1beta1.ModeStandalone),
			toStandalone,
		},
		"unset to standalone": {
			"unset is native",
			mode(""),
			mode(v1beta1.ModeStandalone),
			toStandalone,
		},
		"standalone to unset": {"unset is native", mode(v1beta1.ModeStandalone), mode(""), toNative},
		"standalone to native": {
			"other objects, other owners",
			mode(v1beta1.ModeStandalone),
			mode(v1beta1.ModeNative),
			toNative,
		},
		"unset to native": {"the same", mode(""), mode(v1beta1.ModeNative), nil},
		"native to unset": {"the same", mode(v1beta1.ModeNative), mode(""), nil},
		"standalone stays": {
			"the spec as it was",
			mode(v1beta1.ModeStandalone),
			mode(v1beta1.ModeStandalone),
			nil,
		},
		"two impossible changes": {
			"both are told",
			session,
			func(s *spec) { s.Mode = v1beta1.ModeStandalone },
			[]finding{{"spec.job", "session to job"}, {"spec.mode", "native"}},
		},
		"first redeploy":         {"the path is there", redeploy(none, ""), redeploy(first, "s"), nil},
		"another redeploy":       {"the path is there", redeploy(first, "s"), redeploy(second, "s"), nil},
		"nonce away, path stays": {"nothing is asked for", redeploy(first, "s"), redeploy(none, "s"), nil},
		"nonce and path away":    {"nothing is asked for", redeploy(first, "s"), redeploy(none, ""), nil},
		"nonce stays, path away": {
			"nothing new is asked for",
			redeploy(first, "s"),
			redeploy(first, ""),
			nil,
		},
		"first redeploy, no path": {
			"the job would start empty",
			redeploy(none, ""),
			redeploy(first, ""),
			noPath,
		},
		"redeploy, blank path": {"blank is none", redeploy(none, ""), redeploy(first, " "), noPath},
		"another redeploy, no path": {
			"the job would start empty",
			redeploy(first, "s"),
			redeploy(second, ""),
			noPath,
		},
	} {
		t.Run(name, func(t *testing.T) {
			in, last := deployment(t), deployment(t).Spec
			row.was(&last)
			row.now(&in.Spec)
			in.Status = reconciled(t, last)
			check(t, row.reason, validation.Deployment(in), row.want...)
			in.Status = v1beta1.FlinkDeploymentStatus{}
			check(t, "before the first deployment everything is possible", validation.Deployment(in))
			in.Status.ReconciliationStatus.LastReconciledSpec = "{"
			check(t, "a record that cannot be read forbids nothing", validation.Deployment(in))
			in.Last = &last
			check(t, "a record that was decoded before counts, not the text", validation.Deployment(in), row.want...)
		})
	}
}

func TestDeploymentVersionChange(t *testing.T) {
	modes := []v1beta1.UpgradeMode{
		v1beta1.UpgradeModeLastState, v1beta1.UpgradeModeSavepoint, v1beta1.UpgradeModeStateless,
	}
	for _, from := range modes {
		for _, to := range modes {
			for _, state := range []v1beta1.JobState{v1beta1.JobStateRunning, v1beta1.JobStateSuspended} {
				for _, version := range []v1beta1.FlinkVersion{v1beta1.FlinkV1_19, v1beta1.FlinkV1_20} {
					in, last := deployment(t), deployment(t).Spec
					last.Job.UpgradeMode, last.Job.State, last.FlinkVersion = from, state, version
					in.Spec.Job.UpgradeMode = to
					in.Status = reconciled(t, last)
					var want []finding
					if from == v1beta1.UpgradeModeLastState && state == v1beta1.JobStateSuspended &&
						to != v1beta1.UpgradeModeStateless && version != in.Spec.FlinkVersion {
						want = one("spec.flinkVersion", "Changing flinkVersion after last-state suspend is not allowed.")
					}
					reason := "the metadata of another version cannot be read; " + string(state) + " " + string(from) + " to " +
						string(to) + " from " + string(version)
					check(t, reason, validation.Deployment(in), want...)
				}
			}
		}
	}
}

// Flink 2 looks for its jobs elsewhere.
func TestTheJobsOfASessionClusterAreLostAcrossFlink2(t *testing.T) {
	for _, row := range []struct {
		from, to v1beta1.FlinkVersion
		job      bool
		warned   bool
	}{
		{v1beta1.FlinkV1_20, "v2_0", false, true},
		{"v2_1", v1beta1.FlinkV1_19, false, true},
		{v1beta1.FlinkV1_19, v1beta1.FlinkV1_20, false, false},
		{"v2_0", "v2_2", false, false},
		{v1beta1.FlinkV1_20, "v2_0", true, false},
	} {
		in, last := deployment(t), deployment(t).Spec
		if !row.job {
			in.Spec.Job, last.Job = nil, nil
		}
		last.FlinkVersion, in.Spec.FlinkVersion = row.from, row.to
		in.Status = reconciled(t, last)
		found := validation.Deployment(in)
		warned := found != nil && strings.Contains(found.Filter(apis.WarningLevel).Error(), "are lost with the upgrade")
		if warned != row.warned || validation.Problems(found) != nil {
			t.Errorf("from %s to %s, application %t: %v", row.from, row.to, row.job, found)
		}
	}
}
