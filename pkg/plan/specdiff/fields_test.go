package specdiff_test

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

// deploymentRows has a row for every field, prefix and null rule, and for what must not count as a change.
func deploymentRows(t *testing.T) map[string]deploymentRow {
	rows := map[string]deploymentRow{}
	for _, part := range []map[string]deploymentRow{clusterRows(), jobRows(), configRows(t), equalRows(t)} {
		for name, row := range part {
			rows[name] = row
		}
	}
	return rows
}

type spec = v1beta1.FlinkDeploymentSpec

func upgrade(reason, field string, change func(*spec)) deploymentRow {
	return deploymentRow{
		reason: reason, change: change, native: specdiff.Upgrade, standalone: specdiff.Upgrade, fields: []string{field},
	}
}

func ignored(reason, field string, change func(*spec)) deploymentRow {
	return deploymentRow{
		reason: reason, change: change, native: specdiff.Ignore, standalone: specdiff.Ignore, fields: []string{field},
	}
}

func nothing(reason string, before, change func(*spec)) deploymentRow {
	return deploymentRow{reason: reason, before: before, change: change, native: specdiff.None, standalone: specdiff.None}
}

func clusterRows() map[string]deploymentRow {
	const pods = "the pods have to be made anew"
	return map[string]deploymentRow{
		"image":           upgrade(pods, "image", func(s *spec) { s.Image = "flink:2.2" }),
		"image to null":   upgrade(pods, "image", func(s *spec) { s.Image = "" }),
		"imagePullPolicy": upgrade(pods, "imagePullPolicy", func(s *spec) { s.ImagePullPolicy = "Always" }),
		"serviceAccount":  upgrade(pods, "serviceAccount", func(s *spec) { s.ServiceAccount = "other" }),
		"flinkVersion": upgrade(
			pods,
			"flinkVersion",
			func(s *spec) { s.FlinkVersion = v1beta1.FlinkV2_2 },
		),
		"ingress": upgrade(
			"it is written with the deployment only",
			"ingress",
			func(s *spec) { s.Ingress.ClassName = "nginx" },
		),
		"ingress to null": upgrade("as its change", "ingress", func(s *spec) { s.Ingress = nil }),
		"podTemplate": upgrade(
			pods,
			"podTemplate",
			func(s *spec) { s.PodTemplate.Spec.Hostname = "other" },
		),
		"logConfiguration": upgrade(
			pods,
			"logConfiguration",
			func(s *spec) { s.LogConfiguration = map[string]string{"a": "b"} },
		),
		"logConfiguration, none and empty": upgrade("none takes the image's log files along, an empty one does not",
			"logConfiguration", func(s *spec) { s.LogConfiguration = map[string]string{} }),
		"mode to standalone": upgrade(pods, "mode", func(s *spec) { s.Mode = v1beta1.ModeStandalone }),
		"mode written out": upgrade(
			"null and native are two texts to the Java operator",
			"mode",
			func(s *spec) { s.Mode = v1beta1.ModeNative },
		),

		"jobManager.resource": upgrade(
			pods,
			"jobManager",
			func(s *spec) { s.JobManager.Resource.CPU = ptr(2.0) },
		),
		"jobManager.resources": upgrade(
			pods,
			"jobManager",
			func(s *spec) { s.JobManager.Resources = requests("cpu", "1") },
		),
		"jobManager.replicas": upgrade(
			pods,
			"jobManager",
			func(s *spec) { s.JobManager.Replicas = ptr(int32(2)) },
		),
		"jobManager.podTemplate": upgrade(
			pods,
			"jobManager",
			func(s *spec) { s.JobManager.PodTemplate = &v1beta1.PodTemplate{} },
		),
		"jobManager to null": upgrade(pods, "jobManager", func(s *spec) { s.JobManager = nil }),
		"jobManager, two parts": upgrade("it is one entry whatever changes in it", "jobManager", func(s *spec) {
			s.JobManager.Replicas, s.JobManager.Resource.Memory = ptr(int32(2)), "1g"
		}),

		"taskManager.resource": upgrade(
			pods,
			"taskManager.resource",
			func(s *spec) { s.TaskManager.Resource.Memory = "1g" },
		),
		"taskManager.resources": upgrade(
			pods,
			"taskManager.resources",
			func(s *spec) { s.TaskManager.Resources = requests("cpu", "1") },
		),
		"taskManager.podTemplate": upgrade(
			pods,
			"taskManager.podTemplate",
			func(s *spec) { s.TaskManager.PodTemplate = &v1beta1.PodTemplate{} },
		),
		"taskManager to null": upgrade(
			"one entry for the whole object",
			"taskManager",
			func(s *spec) { s.TaskManager = nil },
		),
		"taskManager.replicas": {
			reason: "a standalone cluster can be scaled", change: func(s *spec) { s.TaskManager.Replicas = ptr(int32(3)) },
			native: specdiff.Upgrade, standalone: specdiff.Scale, fields: []string{"taskManager.replicas"},
			before: func(s *spec) { s.TaskManager.Replicas = ptr(int32(2)) },
		},
		"taskManager memory and replicas": {
			reason: "the more severe of both decides", native: specdiff.Upgrade, standalone: specdiff.Upgrade,
			change: func(s *spec) { s.TaskManager.Replicas, s.TaskManager.Resource.Memory = ptr(int32(4)), "2048" },
			fields: []string{"taskManager.resource", "taskManager.replicas"},
		},

		"restartNonce from null": upgrade(
			"asks for a restart",
			"restartNonce",
			func(s *spec) { s.RestartNonce = ptr(int64(1)) },
		),
		"restartNonce to null": nothing(
			"taking the nonce away asks for nothing",
			nonce(1),
			func(s *spec) { s.RestartNonce = nil },
		),
		"restartNonce to the same": nothing("nothing new is asked for", nonce(1), nonce(1)),
		"restartNonce to a smaller": {
			"any other value counts",
			nonce(2),
			nonce(1),
			specdiff.Upgrade,
			specdiff.Upgrade,
			[]string{"restartNonce"},
		},
	}
}

func nonce(n int64) func(*spec) { return func(s *spec) { s.RestartNonce = ptr(n) } }

func redeploy(n int64) func(*spec) {
	return func(s *spec) { s.Job.SavepointRedeployNonce = ptr(n) }
}

func requests(name, quantity string) *v1beta1.ResourceRequirements {
	return &v1beta1.ResourceRequirements{Requests: map[string]v1beta1.Quantity{name: v1beta1.Quantity(quantity)}}
}

func jobRows() map[string]deploymentRow {
	const another, steers = "it is another job", "it steers the operator, the running job does not see it"
	redeployed := []string{"job.savepointRedeployNonce"}
	return map[string]deploymentRow{
		"job to null": upgrade(
			"one entry for the whole object",
			"job",
			func(s *spec) { s.Job = nil },
		),
		"job.jarURI": upgrade(
			another,
			"job.jarURI",
			func(s *spec) { s.Job.JarURI = "local:///other.jar" },
		),
		"job.entryClass": upgrade(
			another,
			"job.entryClass",
			func(s *spec) { s.Job.EntryClass = "org.example.Main" },
		),
		"job.args": upgrade(
			another,
			"job.args",
			func(s *spec) { s.Job.Args = []string{"a"} },
		),
		"job.state": upgrade(
			"it has to be stopped",
			"job.state",
			func(s *spec) { s.Job.State = v1beta1.JobStateSuspended },
		),
		"job.savepointTriggerNonce": ignored(
			steers,
			"job.savepointTriggerNonce",
			func(s *spec) { s.Job.SavepointTriggerNonce = ptr(int64(1)) },
		),
		"job.checkpointTriggerNonce": ignored(
			steers,
			"job.checkpointTriggerNonce",
			func(s *spec) { s.Job.CheckpointTriggerNonce = ptr(int64(1)) },
		),
		"job.initialSavepointPath": ignored(
			"it counts at the next start",
			"job.initialSavepointPath",
			func(s *spec) { s.Job.InitialSavepointPath = "s3://x" },
		),
		"job.upgradeMode": ignored(
			steers,
			"job.upgradeMode",
			func(s *spec) { s.Job.UpgradeMode = v1beta1.UpgradeModeSavepoint },
		),
		"job.allowNonRestoredState": ignored(
			"it counts at the next start",
			"job.allowNonRestoredState",
			func(s *spec) { s.Job.AllowNonRestoredState = ptr(false) },
		),
		"job.autoscalerResetNonce": ignored(
			steers,
			"job.autoscalerResetNonce",
			func(s *spec) { s.Job.AutoscalerResetNonce = ptr(int64(1)) },
		),
		"job.parallelism": {
			reason: "a standalone cluster can be scaled", change: func(s *spec) { s.Job.Parallelism = 2 },
			native: specdiff.Upgrade, standalone: specdiff.Scale, fields: []string{"job.parallelism"},
		},
		"redeploy nonce from null": {
			"asks for the redeploy",
			nil,
			redeploy(1),
			specdiff.SavepointRedeploy,
			specdiff.SavepointRedeploy,
			redeployed,
		},
		"redeploy nonce to another": {
			"asks for another redeploy",
			redeploy(1),
			redeploy(2),
			specdiff.SavepointRedeploy,
			specdiff.SavepointRedeploy,
			redeployed,
		},
		"redeploy nonce to the same": nothing("nothing new is asked for", redeploy(1), redeploy(1)),
		"redeploy nonce to null": nothing(
			"taking the nonce away asks for nothing",
			redeploy(1),
			func(s *spec) { s.Job.SavepointRedeployNonce = nil },
		),
		"redeploy nonce and parallelism": {
			reason: "the redeploy is the most severe change", native: specdiff.SavepointRedeploy,
			standalone: specdiff.SavepointRedeploy,
			change:     func(s *spec) { s.Job.SavepointRedeployNonce, s.Job.Parallelism = ptr(int64(1)), 123 },
			fields:     []string{"job.parallelism", "job.savepointRedeployNonce"},
		},
	}
}

func configRows(t *testing.T) map[string]deploymentRow {
	set := func(pairs ...string) func(*spec) {
		return func(s *spec) { put(t, &s.FlinkConfiguration, pairs...) }
	}
	row := func(reason, key string, native, standalone specdiff.Kind) deploymentRow {
		return deploymentRow{
			reason: reason, change: set(key, "x"), native: native, standalone: standalone,
			fields: []string{"flinkConfiguration." + key},
		}
	}
	const loose = "prefixes have no boundary"
	return map[string]deploymentRow{
		"key job.autoscaler.enabled": row(
			"the autoscaler reads it each pass",
			"job.autoscaler.enabled",
			specdiff.Ignore,
			specdiff.Ignore,
		),
		"key parallelism.default": row(
			"job.parallelism decides",
			"parallelism.default",
			specdiff.Ignore,
			specdiff.Ignore,
		),
		"key parallelism.default.foo": row(
			loose,
			"parallelism.default.foo",
			specdiff.Ignore,
			specdiff.Ignore,
		),
		"key kubernetes.operator.foo": row(
			"the operator reads it each pass",
			"kubernetes.operator.foo",
			specdiff.Ignore,
			specdiff.Ignore,
		),
		"key kubernetes.operatorfoo": row(
			loose,
			"kubernetes.operatorfoo",
			specdiff.Ignore,
			specdiff.Ignore,
		),
		"key parallelism overrides": row(
			"a native job's vertices can be rescaled",
			"pipeline.jobvertex-parallelism-overrides",
			specdiff.Scale,
			specdiff.Upgrade,
		),
		"key parallelism overrides, long": row(
			loose,
			"pipeline.jobvertex-parallelism-overrides.v",
			specdiff.Scale,
			specdiff.Upgrade,
		),
		"any other key": row(
			"Flink reads it at its start",
			"rest.port",
			specdiff.Upgrade,
			specdiff.Upgrade,
		),
		"key removed": {
			reason: "as its change", before: set("rest.port", "1"), native: specdiff.Upgrade, standalone: specdiff.Upgrade,
			change: func(s *spec) { s.FlinkConfiguration = application(t).FlinkConfiguration },
			fields: []string{"flinkConfiguration.rest.port"},
		},
		"configuration that is no object": upgrade("it cannot be told what differs", "flinkConfiguration",
			func(s *spec) { s.FlinkConfiguration = v1beta1.FlinkConfiguration(`[1]`) }),
	}
}

// equalRows are spellings of the same.
func equalRows(t *testing.T) map[string]deploymentRow {
	configuration := func(text string) func(*spec) {
		return func(s *spec) { s.FlinkConfiguration = v1beta1.FlinkConfiguration(text) }
	}
	podTemplate := func(text string) *v1beta1.PodTemplate { return parse[v1beta1.PodTemplate](t, text) }
	const leftover = "Kubernetes reads nothing else from it; older versions accepted a whole Pod"
	return map[string]deploymentRow{
		"no configuration and an empty one": nothing(
			"neither has a key",
			configuration(""),
			configuration("{}"),
		),
		"nested and dotted keys": nothing(
			"they flatten to the same",
			configuration(`{"a":{"b":1}}`),
			configuration(`{"a.b":"1"}`),
		),
		"key order": nothing(
			"a map has none",
			configuration(`{"a":"1","b":"2"}`),
			configuration(`{"b":"2","a":"1"}`),
		),
		"list and its text": nothing(
			"they flatten to the same",
			configuration(`{"a":[1,2]}`),
			configuration(`{"a":"1;2"}`),
		),
		"state written out": nothing(
			"running is the default",
			func(s *spec) { s.Job.State = "" },
			func(s *spec) { s.Job.State = v1beta1.JobStateRunning },
		),
		"upgrade mode written out": nothing("stateless is the default", func(s *spec) { s.Job.UpgradeMode = "" },
			func(s *spec) { s.Job.UpgradeMode = v1beta1.UpgradeModeStateless }),
		"no arguments": nothing(
			"absent means none",
			func(s *spec) { s.Job.Args = nil },
			func(s *spec) { s.Job.Args = []string{} },
		),
		"JobManager replicas": nothing(
			"1 is the default",
			func(s *spec) { s.JobManager.Replicas = nil },
			func(s *spec) { s.JobManager.Replicas = ptr(int32(1)) },
		),
		"no ingress labels": nothing(
			"empty is none",
			func(s *spec) { s.Ingress.Labels = nil },
			func(s *spec) { s.Ingress.Labels = map[string]string{} },
		),
		"cpu 1 and 1000m": nothing(
			"quantities count by value",
			tmRequest("cpu", "1"),
			tmRequest("cpu", "1000m"),
		),
		"memory 1Gi and 1024Mi": nothing(
			"quantities count by value",
			tmRequest("memory", "1Gi"),
			tmRequest("memory", "1024Mi"),
		),
		"unreadable, the same": nothing(
			"the text is the same",
			tmRequest("memory", "2 gb!"),
			tmRequest("memory", "2 gb!"),
		),
		"template's apiVersion": nothing(
			leftover,
			func(s *spec) { s.PodTemplate = podTemplate(`{spec: {hostname: h}}`) },
			func(s *spec) { s.PodTemplate = loose(t, `{"apiVersion":"v1","spec":{"hostname":"h"}}`) },
		),
		"JobManager's template": nothing(
			leftover,
			func(s *spec) { s.JobManager.PodTemplate = podTemplate(`{spec: {hostname: h}}`) },
			func(s *spec) { s.JobManager.PodTemplate = loose(t, `{"kind":"Pod","spec":{"hostname":"h"}}`) },
		),
		"TaskManager's template": nothing(
			leftover,
			func(s *spec) { s.TaskManager.PodTemplate = podTemplate(`{spec: {hostname: h}}`) },
			func(s *spec) { s.TaskManager.PodTemplate = loose(t, `{"unknown":1,"spec":{"hostname":"h"}}`) },
		),
		"template's cpu quantities": nothing(
			"quantities count by value",
			func(s *spec) { s.PodTemplate = limited(t, "1") },
			func(s *spec) { s.PodTemplate = limited(t, "1000m") },
		),
		"memory text of the older resource": {
			reason: "it is compared as text", before: func(s *spec) { s.TaskManager.Resource.Memory = "1g" },
			fields: []string{"taskManager.resource"},
			change: func(s *spec) { s.TaskManager.Resource.Memory = "1024m" }, native: specdiff.Upgrade,
			standalone: specdiff.Upgrade,
		},
		"memory 2048m and 2Gi": {
			reason: "Kubernetes reads 2048m as 2.048", before: tmRequest("memory", "2Gi"),
			fields: []string{"taskManager.resources"},
			change: tmRequest("memory", "2048m"), native: specdiff.Upgrade, standalone: specdiff.Upgrade,
		},
		"unreadable quantities": {
			reason: "text is all there is to compare", before: tmRequest("memory", "a"),
			fields: []string{"taskManager.resources"},
			change: tmRequest("memory", "b"), native: specdiff.Upgrade, standalone: specdiff.Upgrade,
		},
	}
}

func tmRequest(name, quantity string) func(*spec) {
	return func(s *spec) { s.TaskManager.Resources = requests(name, quantity) }
}

// loose parses a pod template with members that our types do not know.
func loose(t *testing.T, text string) *v1beta1.PodTemplate {
	t.Helper()
	template := &v1beta1.PodTemplate{}
	if err := template.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return template
}

func limited(t *testing.T, cpu string) *v1beta1.PodTemplate {
	return loose(t, `{"spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":"`+cpu+`"}}}]}}`)
}
