package flinkconf_test

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

func TestJob(t *testing.T) {
	for name, tc := range map[string]struct {
		spec   string
		want   map[string]string
		reason string
	}{
		"native application": {
			`job: {jarURI: "local:///opt/a.jar", parallelism: 2, entryClass: org.Main, args: [--x, "a;b"]}`,
			map[string]string{
				"execution.target":                                          "kubernetes-application",
				"pipeline.jars":                                             "local:///opt/a.jar",
				"pipeline.classpaths":                                       "-",
				"parallelism.default":                                       "2",
				"execution.shutdown-on-application-finish":                  "false",
				"execution.submit-failed-job-on-application-error":          "true",
				"pipeline.name":                                             "demo",
				"$internal.application.main":                                "org.Main",
				"$internal.application.program-args":                        "--x;'a;b'",
				"execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
				"execution.checkpointing.interval":                          "-",
				"kubernetes.internal.cluster-mode":                          "-",
				"execution.savepoint.ignore-unclaimed-state":                "-",
			},
			"everything a job needs",
		},
		"no jar": {
			`job: {entryClass: org.Main, parallelism: 1}`,
			map[string]string{"pipeline.jars": "-"},
			"the class is on the class path of the image",
		},
		"no args": {
			`job: {parallelism: 1}`,
			map[string]string{"$internal.application.program-args": "", "$internal.application.main": "-"},
			"Flink wants the list, also when it is empty",
		},
		"session": {
			``,
			map[string]string{
				"execution.target":                         "kubernetes-session",
				"pipeline.name":                            "-",
				"parallelism.default":                      "-",
				"$internal.application.program-args":       "-",
				"$internal.pipeline.job-id":                "-",
				"execution.shutdown-on-application-finish": "-",
			},
			"a session cluster has no job",
		},
		"replicas make parallelism": {
			`{job: {jarURI: "local:///a.jar", parallelism: 7}, taskManager: {replicas: 3}, flinkConfiguration: ` +
				`{taskmanager.numberOfTaskSlots: 4}}`,
			map[string]string{"parallelism.default": "12", "kubernetes.internal.taskmanager.replicas": "3"},
			"replicas times slots",
		},
		"overrides native": {
			`{job: {parallelism: 5}, flinkConfiguration: {pipeline.jobvertex-parallelism-overrides: "v1:10,v2:20"}}`,
			map[string]string{"parallelism.default": "5"},
			"a native cluster starts TaskManagers as needed",
		},
		"standalone application": {
			`{mode: standalone, job: {jarURI: "local:///flink/opt/StateMachine.jar"}, taskManager: {replicas: 3}, ` +
				`flinkConfiguration: {taskmanager.numberOfTaskSlots: 2}}`,
			map[string]string{
				"execution.target":                         "remote",
				"kubernetes.internal.cluster-mode":         "APPLICATION",
				"parallelism.default":                      "6",
				"kubernetes.internal.taskmanager.replicas": "3",
				"pipeline.classpaths":                      "file:///flink/opt/StateMachine.jar",
				"pipeline.jars":                            "-",
			},
			"the jar is a file of the image",
		},
		"standalone parallelism": {
			`{mode: standalone, job: {parallelism: 10}, flinkConfiguration: {taskmanager.numberOfTaskSlots: 2}}`,
			map[string]string{"kubernetes.internal.taskmanager.replicas": "5", "parallelism.default": "10"},
			"parallelism over slots",
		},
		"standalone rounds up": {
			`{mode: standalone, job: {parallelism: 5}, flinkConfiguration: {taskmanager.numberOfTaskSlots: 2}}`,
			map[string]string{"kubernetes.internal.taskmanager.replicas": "3"},
			"rounded up",
		},
		"standalone overrides": {
			`{mode: standalone, job: {parallelism: 5}, flinkConfiguration: {taskmanager.numberOfTaskSlots: 2, ` +
				`pipeline.jobvertex-parallelism-overrides: "v1:10,v2:20"}}`,
			map[string]string{"kubernetes.internal.taskmanager.replicas": "10", "parallelism.default": "20"},
			"the highest override needs that many slots",
		},
		"standalone override prefix": {
			`{mode: standalone, job: {parallelism: 5}, flinkConfiguration: {pipeline.jobvertex-parallelism-overrides.v1: 8}}`,
			map[string]string{"parallelism.default": "8"},
			"in prefix notation too",
		},
		"standalone user replicas": {
			`{mode: standalone, job: {parallelism: 5}, flinkConfiguration: {kubernetes.internal.taskmanager.replicas: 9}}`,
			map[string]string{"kubernetes.internal.taskmanager.replicas": "9"},
			"a number already there stays",
		},
		"standalone session": {
			`{mode: standalone, taskManager: {replicas: 5}}`,
			map[string]string{
				"execution.target":                         "remote",
				"kubernetes.internal.cluster-mode":         "SESSION",
				"kubernetes.internal.taskmanager.replicas": "5",
			},
			"the same for a session",
		},
		"standalone other scheme": {`{mode: standalone, job: {jarURI: "https://h/a.jar?x=1", parallelism: 1}}`,
			map[string]string{"pipeline.classpaths": "https://h/a.jar?x=1"}, "only local means the image"},
		"last state": {
			`job: {parallelism: 1, upgradeMode: last-state}`,
			map[string]string{"execution.checkpointing.interval": "5 min"},
			"last-state needs checkpoints",
		},
		"last state with interval": {
			`{job: {parallelism: 1, upgradeMode: last-state}, flinkConfiguration: {execution.checkpointing.interval: 30 s}}`,
			map[string]string{"execution.checkpointing.interval": "30 s"},
			"the user's own interval stays",
		},
		"unclaimed true": {
			`{job: {parallelism: 1, allowNonRestoredState: true}, flinkConfiguration: ` +
				`{execution.savepoint.ignore-unclaimed-state: false}}`,
			map[string]string{"execution.savepoint.ignore-unclaimed-state": "true"},
			"the spec wins",
		},
		"unclaimed false": {
			`{job: {parallelism: 1, allowNonRestoredState: false}, flinkConfiguration: ` +
				`{execution.state-recovery.ignore-unclaimed-state: true}}`,
			map[string]string{
				"execution.savepoint.ignore-unclaimed-state":      "false",
				"execution.state-recovery.ignore-unclaimed-state": "-",
			},
			"also over the newer spelling, which Flink 1.20 would prefer",
		},
		"unclaimed by option": {
			`{job: {parallelism: 1}, flinkConfiguration: {execution.state-recovery.ignore-unclaimed-state: true}}`,
			map[string]string{"execution.state-recovery.ignore-unclaimed-state": "true"},
			"without a word in the spec the option counts",
		},
		"user defaults": {
			`{job: {parallelism: 1}, flinkConfiguration: {pipeline.name: mine,
				execution.submit-failed-job-on-application-error: false,
				execution.shutdown-on-application-finish: true,
			execution.checkpointing.externalized-checkpoint-retention: DELETE_ON_CANCELLATION}}`,
			map[string]string{
				"pipeline.name": "mine",
				"execution.submit-failed-job-on-application-error":          "false",
				"execution.shutdown-on-application-finish":                  "false",
				"execution.checkpointing.externalized-checkpoint-retention": "DELETE_ON_CANCELLATION",
			},
			"defaults give way, the forced one does not",
		},
	} {
		t.Run(name, func(t *testing.T) {
			has(t, deploy(t, input(t, tc.spec)).Cluster, tc.want, tc.reason)
		})
	}
}

func TestStart(t *testing.T) {
	const path, recovery = "execution.savepoint.path", "execution.state-recovery.path"
	user := app + "flinkConfiguration: {execution.savepoint.path: /user, execution.state-recovery.path: /newer}"
	ha := app + "flinkConfiguration: {high-availability.type: kubernetes, high-availability.storageDir: s3://b/ha}"
	for name, tc := range map[string]struct {
		spec   string
		start  flinkconf.Start
		want   map[string]string
		reason string
	}{
		"stateless": {
			user,
			flinkconf.Start{JobID: "j"},
			map[string]string{path: "-", recovery: "-", "$internal.pipeline.job-id": "j"},
			"a path left over from the user must not make the start stateful",
		},
		"savepoint": {
			user,
			flinkconf.Start{JobID: "j", SavepointPath: "/sp"},
			map[string]string{path: "/sp", recovery: "-"},
			"the newer key would beat the path chosen here",
		},
		"last state": {
			user,
			flinkconf.Start{JobID: "j", LastState: true, SavepointPath: "/sp"},
			map[string]string{path: flinkconf.LastStateMarker, recovery: "-"},
			"the marker makes Flink fail rather than start empty",
		},
		"fixed job ID": {
			app + "flinkConfiguration: {$internal.pipeline.job-id: fixed}",
			flinkconf.Start{JobID: "j"},
			map[string]string{"$internal.pipeline.job-id": "fixed"},
			"the user's own job ID wins",
		},
		"result store": {
			ha,
			flinkconf.Start{JobID: "j", JobResultStoreDir: "op1"},
			map[string]string{
				"job-result-store.storage-path":     "s3://b/ha/job-result-store/demo/op1",
				"job-result-store.delete-on-commit": "false",
			},
			"a place of its own for each start",
		},
		"result store of the user": {
			app + "flinkConfiguration: {high-availability.zookeeper.storageDir: /ha, job-result-store.storage-path: /mine, " +
				"job-result-store.delete-on-commit: true}",
			flinkconf.Start{JobID: "j", JobResultStoreDir: "op1"},
			map[string]string{
				"job-result-store.storage-path":     "/ha/job-result-store/demo/op1",
				"job-result-store.delete-on-commit": "true",
			},
			"the path is forced, whatever HA storage is called; the rest is a default",
		},
		"no storage": {
			app,
			flinkconf.Start{JobID: "j", JobResultStoreDir: "op1"},
			map[string]string{"job-result-store.storage-path": "-"},
			"without HA storage there is no store",
		},
		"session": {
			"flinkConfiguration: {high-availability.storageDir: /ha, execution.savepoint.path: /user}",
			flinkconf.Start{},
			map[string]string{"job-result-store.storage-path": "-", "$internal.pipeline.job-id": "-", path: "-"},
			"a session cluster starts no job, and each of its jobs has a state of its own",
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := input(t, tc.spec)
			in.Start = tc.start
			deployed := deploy(t, in)
			has(t, deployed.Cluster, tc.want, tc.reason)
			if want := deployed.Cluster["$internal.pipeline.job-id"]; deployed.JobID != want {
				t.Errorf("JobID = %q, the configuration says %q", deployed.JobID, want)
			}
		})
	}
}

func TestClientKeys(t *testing.T) {
	for name, tc := range map[string]struct {
		spec   string
		want   map[string]string
		reason string
	}{
		"native session": {
			``,
			map[string]string{
				"internal.cluster.execution-mode":   "NORMAL",
				"blob.server.port":                  "6124",
				"taskmanager.rpc.port":              "6122",
				"rest.bind-port":                    "-",
				"rest.port":                         "-",
				"jobmanager.rpc.address":            "demo.ns1",
				"high-availability.jobmanager.port": "-",
				"kubernetes.internal.jobmanager.entrypoint.class": "org.apache.flink.kubernetes.entrypoint." +
					"KubernetesSessionClusterEntrypoint",
			},
			"what Flink's client adds",
		},
		"native application": {
			app,
			map[string]string{
				"kubernetes.internal.jobmanager.entrypoint.class": "org.apache.flink.kubernetes.entrypoint." +
					"KubernetesApplicationClusterEntrypoint",
			},
			"another main class",
		},
		"standalone": {
			app + "mode: standalone",
			map[string]string{
				"internal.cluster.execution-mode":                 "-",
				"kubernetes.internal.jobmanager.entrypoint.class": "-",
				"jobmanager.rpc.address":                          "demo.ns1",
				"blob.server.port":                                "6124",
				"taskmanager.rpc.port":                            "6122",
			},
			"the scripts choose the class",
		},
		"HA": {
			`flinkConfiguration: {high-availability.type: kubernetes, jobmanager.rpc.port: 7000}`,
			map[string]string{"jobmanager.rpc.address": "-", "high-availability.jobmanager.port": "7000"},
			"the leader's address is the pod's; its port follows the RPC port",
		},
		"standalone HA": {
			"mode: standalone\nflinkConfiguration: {high-availability.type: kubernetes}",
			map[string]string{"jobmanager.rpc.address": "demo.ns1", "high-availability.jobmanager.port": "6123"},
			"standalone always has the Service",
		},
		"user ports": {
			`flinkConfiguration: {blob.server.port: 7001, taskmanager.rpc.port: 7002, rest.bind-port: 7003}`,
			map[string]string{"blob.server.port": "7001", "taskmanager.rpc.port": "7002", "rest.bind-port": "7003"},
			"fixed ports stay",
		},
		"zero ports": {
			`flinkConfiguration: {blob.server.port: 0, taskmanager.rpc.port: 0, rest.bind-port: 0}`,
			map[string]string{"blob.server.port": "6124", "taskmanager.rpc.port": "6122", "rest.bind-port": "8081"},
			"zero would let Flink choose",
		},
		"rest port": {
			`flinkConfiguration: {rest.port: 9999}`,
			map[string]string{"rest.port": "9999", "rest.bind-port": "-"},
			"the bind port follows it unwritten",
		},
		"client only": {
			`flinkConfiguration: {kubernetes.config.file: /k, $internal.deployment.config-dir: /c, rest.bind-address: a, ` +
				`jobmanager.bind-host: b, taskmanager.bind-host: c, taskmanager.host: d}`,
			map[string]string{
				"kubernetes.config.file":          "-",
				"$internal.deployment.config-dir": "-",
				"rest.bind-address":               "-",
				"jobmanager.bind-host":            "-",
				"taskmanager.bind-host":           "-",
				"taskmanager.host":                "-",
			},
			"these make no sense in a pod",
		},
		"older bind address": {
			`flinkConfiguration: {web.address: a}`,
			map[string]string{"web.address": "-"},
			"also under its older name",
		},
	} {
		t.Run(name, func(t *testing.T) {
			has(t, deploy(t, input(t, tc.spec)).Cluster, tc.want, tc.reason)
		})
	}
}
