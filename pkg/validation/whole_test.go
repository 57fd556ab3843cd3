package validation_test

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

func TestWhatCanNeverRunIsRefused(t *testing.T) {
	set := func(pairs ...string) func(*input) {
		return func(in *input) { in.Spec.FlinkConfiguration = add(in.Spec.FlinkConfiguration, pairs...) }
	}
	drop := func(keys ...string) func(*input) {
		return func(in *input) { in.Spec.FlinkConfiguration = without(in.Spec.FlinkConfiguration, keys...) }
	}
	const ha, storage = "high-availability.type", "high-availability.storageDir"
	sizes := func(memory string) func(*input) {
		return func(in *input) {
			in.Spec.JobManager = &v1beta1.JobManagerSpec{Resource: &v1beta1.Resource{Memory: memory}}
			in.Spec.TaskManager = &v1beta1.TaskManagerSpec{Resource: &v1beta1.Resource{Memory: memory}}
		}
	}
	for name, row := range map[string]struct {
		change func(*input)
		want   []finding
	}{
		"fixture": {func(*input) {}, nil},
		"no storage, kubernetes": {
			both(drop(storage), set(ha, "kubernetes")),
			one(confPath(storage), storage),
		},
		"no storage, ZooKeeper": {
			both(drop(storage), set(ha, "zookeeper")),
			one(confPath(storage), storage),
		},
		"blank storage":        {set(storage, " "), one(confPath(storage), storage)},
		"older storage":        {both(drop(storage), set("recovery.zookeeper.storageDir", "x")), nil},
		"storage, a class":     {both(drop(storage), set(ha, "com.example.Factory")), nil},
		"no high availability": {drop(storage, ha), nil},
		"reactive, native": {
			set("scheduler-mode", "reactive"),
			one(confPath("scheduler-mode"), "Reactive mode"),
		},
		"reactive, a session": {
			both(set("scheduler-mode", "reactive"), func(in *input) { in.Spec.Job, in.Spec.Mode = nil, "standalone" }),
			one(confPath("scheduler-mode"), "Reactive mode"),
		},
		"reactive, standalone": {
			both(set("scheduler-mode", "reactive"), func(in *input) { in.Spec.Mode = "standalone" }),
			nil,
		},
		"local with two slashes": {
			func(in *input) { in.Spec.Job.JarURI = "local://opt/flink/a.jar" },
			one("spec.job.jarURI", `names the host "opt"`),
		},
		"file with two slashes": {
			func(in *input) { in.Spec.Job.JarURI = "file://opt/flink/a.jar" },
			one("spec.job.jarURI", `names the host "opt"`),
		},
		"local with three": {
			func(in *input) { in.Spec.Job.JarURI = "local:///opt/flink/a.jar" },
			nil,
		},
		"two ports of one process": {
			set("blob.server.port", "8081"),
			one(confPath("blob.server.port"), "Port 8081"),
		},
		"the REST port is another": {
			set("rest.port", "6124", "blob.server.port", "6124"),
			one(confPath("blob.server.port"), "Port 6124"),
		},
		"high availability's port": {
			set("high-availability.jobmanager.port", "6124"),
			one(confPath("high-availability.jobmanager.port"), "Port 6124"),
		},
		"a reporter's port": {
			set("metrics.reporter.prom.port", "8081"), one(confPath("metrics.reporter.prom.port"), "Port 8081"),
		},
		"a range of a reporter": {set("metrics.reporter.prom.port", "9250-9260"), nil},
		"two processes":         {set("taskmanager.rpc.port", "6124"), nil},
		"memory": {sizes("2048"), []finding{
			{"spec.jobManager.resource.memory", "JobManager memory cannot work"},
			{"spec.taskManager.resource.memory", "TaskManager memory cannot work"},
		}},
		"Flink 2, all clashes at once": {
			both(set("high-availability", "kubernetes", "restart-strategy", "fixed-delay",
				"restart-strategy.fixed-delay.attempts", "3", "state.backend", "rocksdb", "state.backend.incremental", "true",
				"env.java.opts", "-Da=b",
				"env.java.opts.jobmanager", "-Dc=d"), func(in *input) { in.Spec.FlinkVersion = "v2_0" }),
			[]finding{
				{confPath("high-availability"), "cannot stand beside"}, {confPath("restart-strategy"), "cannot stand beside"},
				{confPath("state.backend"), "cannot stand beside"}, {confPath("env.java.opts"), "cannot stand beside"},
			},
		},
		"Flink 2, with what the operator writes": {
			both(both(drop(ha, storage), set("kubernetes.container.image", "x")),
				func(in *input) { in.Spec.FlinkVersion = "v2_0" }),
			one(confPath("kubernetes.container.image"), "cannot stand beside kubernetes.container.image."),
		},
		"a # in a value": {
			set("pipeline.name", "left#right"),
			one(confPath("pipeline.name"), "takes the line for a comment"),
		},
		"a # in a secret": {
			set("s3.secret-key", "a#b"),
			one(confPath("s3.secret-key"), "takes the line for a comment"),
		},
		"a # in a key": {set("a#b", "c"), one(confPath("a#b"), "takes the line for a comment")},
		"a # in the jar's URI": {
			func(in *input) { in.Spec.Job.JarURI = "local:///a.jar#b" }, one("spec.job.jarURI", "takes the line for a comment"),
		},
		"a # in the savepoint's path": {
			func(in *input) { in.Spec.Job.InitialSavepointPath = "s3://s/a#b" },
			one("spec.job.initialSavepointPath", "takes the line for a comment"),
		},
		"a # in a default": {
			func(in *input) { in.Operator = operator("my.key", "a#b") }, one(confPath("my.key"), "takes the line for a comment"),
		},
		"a # of the operator's own": {set("kubernetes.operator.user.artifacts.http.header", "X:a#b"), nil},
		"a # in Flink 2": {
			both(set("pipeline.name", "left#right"), func(in *input) { in.Spec.FlinkVersion = "v2_0" }), nil,
		},
		"other white space": {set("pipeline.name", " a\n b "), nil},
		"Flink 1, the same keys": {set("high-availability", "kubernetes", "state.backend", "rocksdb",
			"state.backend.incremental", "true"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			in := deployment(t)
			in.New = true
			row.change(&in)
			check(t, name, validation.Problems(validation.Deployment(in)), row.want...)
			if in.New = false; row.want != nil && validation.Problems(validation.Deployment(in)) != nil {
				t.Error("a spec that was accepted before, so that it may run, is refused")
			}
		})
	}
	spaced := deployment(t)
	spaced.New = true
	spaced.Spec.FlinkConfiguration = add(spaced.Spec.FlinkConfiguration, "pipeline.name", " a\n b ")
	if found := validation.Message(validation.Deployment(spaced)); !strings.Contains(found, "has several lines") {
		t.Errorf("other white space is not warned of: %q", found)
	}
	in := deployment(t)
	in.New = true
	in.Spec.FlinkVersion = "v2_0"
	in.Spec.FlinkConfiguration = add(in.Spec.FlinkConfiguration, "restart-strategy", "none", "restart-strategy.a", "b")
	if found := validation.Message(validation.Deployment(in)); !strings.Contains(found, "write restart-strategy.type") {
		t.Errorf("%q does not name the newer key", found)
	}
}

func TestConfigurationsSaidInVainAreWarnedOf(t *testing.T) {
	for text, want := range map[string]string{
		`{"s3.endpoint":null}`:       "s3.endpoint is null, of which Flink gets the text null",
		`{"pipeline":{"name":null}}`: "pipeline.name is null",
		`{"kubernetes.operator.savepoint.histroy.max.age":"1 d"}`: "there is no such option, the nearest is " +
			"kubernetes.operator.savepoint.history.max.age",
		`{"kubernetes.operator.no.such.thing.at.all":"1"}`:                               "there is no such option (",
		`{"job.autoscaler.enabld":"true"}`:                                               "is job.autoscaler.enabled",
		`{"kubernetes.operator.ingress.manage":"false"}`:                                 "only the installation's",
		`{"kubernetes.operator.retry.max.attempts":"3"}`:                                 "has no effect",
		`{"state.backend":"rocksdb","state.backend.type":"hashmap"}`:                     "state.backend has no",
		`{"state.backend":"rocksdb","state.backend.type":"rocksdb"}`:                     "",
		`{"kubernetes.service-account":"a","kubernetes.jobmanager.service-account":"b"}`: "",
		`{"kubernetes.operator.job.autoscaler.enabled":"true"}`:                          "",
		`{"kubernetes.operator.user.artifacts.http.header.X":"y"}`:                       "",
		`{"job.autoscaler.scaling.custom-executor.mine.class":"a"}`:                      "",
		`{"kubernetes.jobmanager.labels.a":"b","my.key":"c"}`:                            "",
	} {
		in := sessionJob(t)
		in.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(text)
		found := validation.SessionJob(in)
		if problems := validation.Problems(found); problems != nil {
			t.Errorf("%s is refused: %s", text, validation.Message(problems))
		}
		if got := validation.Message(found); (want == "") != (found == nil) || !strings.Contains(got, want) {
			t.Errorf("%s: warned %q, want %q", text, got, want)
		}
	}
}
