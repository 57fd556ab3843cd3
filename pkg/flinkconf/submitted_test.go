package flinkconf_test

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

// A run of a jar gets Flink's options alone.
func TestSubmitted(t *testing.T) {
	submitted := flinkconf.Submitted(flinkconf.Config{
		"parallelism.default": "2", "$internal.application.main": "a.B", "kubernetes.operator.job.restart.failed": "true",
		"job.autoscaler.enabled": "true",
	})
	if len(submitted) != 1 || submitted["parallelism.default"] != "2" {
		t.Errorf("submitted %v, want parallelism.default alone", submitted)
	}
}

// Flink starts a job from the path in the configuration of its run where the request names none, and so from the one in
// the JobManager's own (JarRunHandler.getSavepointRestoreSettings). The state is chosen by us alone.
func TestNoSessionJobHasAConfiguredPath(t *testing.T) {
	const old, recent = "execution.savepoint.path", "execution.state-recovery.path"
	submitted := flinkconf.Submitted(flinkconf.Config{old: "s3://old", recent: "s3://old", "parallelism.default": "2"})
	if len(submitted) != 1 || submitted["parallelism.default"] != "2" {
		t.Errorf("submitted %v, want parallelism.default alone", submitted)
	}
	deployed, err := flinkconf.Deploy(flinkconf.DeployInput{
		Namespace: "default", Name: "session", UID: "uid", Spec: &v1beta1.FlinkDeploymentSpec{
			Image: "flink:1.20", FlinkVersion: v1beta1.FlinkV1_20, ServiceAccount: "flink",
			FlinkConfiguration: v1beta1.FlinkConfiguration(`{"` + old + `":"s3://old","` + recent + `":"s3://old"}`),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{old, recent} {
		if path, there := deployed.Cluster[name]; there {
			t.Errorf("the session cluster has %s: %s", name, path)
		}
	}
}
