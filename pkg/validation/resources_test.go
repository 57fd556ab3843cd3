package validation_test

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

type quantities = map[string]v1beta1.Quantity

// sized replaces the resources of one component.
func sized(component string, requests, limits quantities) func(*input) {
	return func(in *input) {
		size := &v1beta1.ResourceRequirements{Requests: requests, Limits: limits}
		if component == "jobManager" {
			in.Spec.JobManager.Resources = size
		} else {
			in.Spec.TaskManager.Resources = size
		}
	}
}

// older sizes both components in the older way, then changes one of them.
func older(component string, change func(*v1beta1.Resource)) func(*input) {
	return func(in *input) {
		in.Spec.JobManager.Resources, in.Spec.TaskManager.Resources = nil, nil
		in.Spec.JobManager.Resource, in.Spec.TaskManager.Resource = &v1beta1.Resource{Memory: "2048m"},
			&v1beta1.Resource{Memory: "2048m"}
		if component == "jobManager" {
			change(in.Spec.JobManager.Resource)
		} else {
			change(in.Spec.TaskManager.Resource)
		}
	}
}

func memory(text string) func(*v1beta1.Resource) {
	return func(r *v1beta1.Resource) { r.Memory = text }
}

func storage(text string) func(*v1beta1.Resource) {
	return func(r *v1beta1.Resource) { r.EphemeralStorage = text }
}

// both joins two changes.
func both(a, b func(*input)) func(*input) {
	return func(in *input) { a(in); b(in) }
}

func TestOlderResources(t *testing.T) {
	const jm, tm = "jobManager", "taskManager"
	noJM := one(
		"spec.jobManager.resources.requests.memory",
		"JobManager resource memory must be defined using `spec.jobManager.resource.memory`",
	)
	noTM := one(
		"spec.taskManager.resources.requests.memory",
		"TaskManager resource memory must be defined using `spec.taskManager.resource.memory`",
	)
	for name, row := range map[string]deploymentRow{
		"TaskManager 1G":  {"Flink's own syntax", older(tm, memory("1G")), nil},
		"TaskManager 100": {"bytes; Flink will find out", older(tm, memory("100")), nil},
		"TaskManager 1Gi": {"Kubernetes' syntax", older(tm, memory("1Gi")), nil},
		"JobManager 1Gi":  {"Kubernetes' syntax", older(jm, memory("1Gi")), nil},
		"TaskManager 0": {
			"only the newer fields are checked for that",
			older(tm, memory("0")),
			nil,
		},
		"TaskManager invalid": {
			"no size",
			older(tm, memory("invalid")),
			one("spec.taskManager.resource.memory", "TaskManager resource memory parse error"),
		},
		"JobManager invalid": {
			"no size",
			older(jm, memory("invalid")),
			one("spec.jobManager.resource.memory", "JobManager resource memory parse error"),
		},
		"TaskManager none": {"Flink cannot start without", older(tm, memory("")), noTM},
		"JobManager none":  {"Flink cannot start without", older(jm, memory("")), noJM},
		"TaskManager blank": {
			"blank is none, and no size",
			older(tm, memory(" ")),
			append(noTM, finding{"spec.taskManager.resource.memory", "parse error"}),
		},
		"TaskManager, heap only": {
			"the managed memory is missing",
			both(older(tm, memory("")), replace("taskmanager.memory.task.heap.size", "1024m")),
			noTM,
		},
		"JobManager, heap": {
			"the rest follows from it",
			both(older(jm, memory("")), replace("jobmanager.memory.heap.size", "2048m")),
			nil,
		},
		"TaskManager, Flink size": {
			"the rest follows from it",
			both(older(tm, memory("")), replace("taskmanager.memory.flink.size", "2048m")),
			nil,
		},
		"TaskManager, heap and managed": {"the rest follows from them", both(older(tm, memory("")),
			replace("taskmanager.memory.task.heap.size", "1024m",
				"taskmanager.memory.managed.size", "1024m")), nil},
		"TaskManager, by default": {
			"defaults count",
			both(older(tm, memory("")), func(in *input) { in.Operator = operator("taskmanager.memory.process.size", "2g") }),
			nil,
		},
		"JobManager abc storage": {
			"no quantity",
			older(jm, storage("abc")),
			one("spec.jobManager.resource.ephemeralStorage", "JobManager resource ephemeral storage parse error"),
		},
		"TaskManager abc storage": {
			"no quantity",
			older(tm, storage("abc")),
			one("spec.taskManager.resource.ephemeralStorage", "TaskManager resource ephemeral storage parse error"),
		},
		"both unreadable": {"each is told at its place",
			older(tm, func(r *v1beta1.Resource) { r.Memory, r.EphemeralStorage = "x", "y" }),
			[]finding{
				{"spec.taskManager.resource.memory", "memory parse error"},
				{"spec.taskManager.resource.ephemeralStorage", "storage parse error"},
			}},
		"no JobManager": {
			"Flink cannot start without memory",
			func(in *input) { in.Spec.JobManager = nil },
			noJM,
		},
		"no TaskManager": {
			"Flink cannot start without memory",
			func(in *input) { in.Spec.TaskManager = nil },
			noTM,
		},
		"empty requirements, older given": {
			"{} counts as absent",
			both(older(tm, memory("1g")), sized(tm, nil, nil)),
			nil,
		},
		"empty requirements, none given": {
			"{} counts as absent",
			sized(tm, quantities{}, quantities{}),
			noTM,
		},
	} {
		t.Run(name, row.run)
	}
}

func TestResources(t *testing.T) {
	const jm, tm = "jobManager", "taskManager"
	at := func(field, text string) []finding {
		return one("spec.taskManager.resources."+field, "TaskManager resource requirements "+text)
	}
	for name, row := range map[string]deploymentRow{
		"requests of both": {
			"enough",
			both(sized(jm, quantities{"memory": "2Gi"}, nil), sized(tm, quantities{"memory": "2Gi", "cpu": "500m"}, nil)),
			nil,
		},
		"limits of both": {"Kubernetes takes them for requests",
			both(sized(jm, nil, quantities{"memory": "2Gi", "cpu": "2"}),
				sized(tm, nil, quantities{"memory": "2Gi", "cpu": "2"})), nil},
		"requests below limits": {
			"as it should be",
			sized(tm, quantities{"memory": "2Gi", "cpu": "1"}, quantities{"memory": "4Gi", "cpu": "2"}),
			nil,
		},
		"requests at limits": {
			"as it may be",
			sized(tm, quantities{"memory": "2g", "cpu": "1"}, quantities{"memory": "2Gi", "cpu": "1000m"}),
			nil,
		},
		"memory abc": {
			"no size",
			sized(tm, quantities{"memory": "abc"}, nil),
			at("requests.memory", "requests memory parse error"),
		},
		"memory 1.5Gi": {
			"Flink wants whole bytes as text",
			sized(tm, quantities{"memory": "1.5Gi"}, nil),
			at("requests.memory", "requests memory parse error"),
		},
		"memory -2Gi": {
			"no size",
			sized(tm, quantities{"memory": "-2Gi"}, nil),
			at("requests.memory", "requests memory parse error"),
		},
		"memory 0": {
			"too small for anything",
			sized(tm, quantities{"memory": "0"}, nil),
			at("requests.memory", "requests memory must be positive: 0"),
		},
		"memory 100": {
			"bytes; Flink will find out",
			sized(tm, quantities{"memory": "100"}, nil),
			nil,
		},
		"cpu empty, memory abc": {
			"what is not said is no problem, what follows may be",
			sized(tm, quantities{"cpu": "", "memory": "abc"}, nil),
			at("requests.memory", "requests memory parse error"),
		},
		"cpu notacpu": {"no quantity", sized(jm, quantities{"memory": "2Gi", "cpu": "notacpu"}, nil),
			one("spec.jobManager.resources.requests.cpu", "JobManager resource requirements requests cpu parse error")},
		"limit xyz": {
			"no size",
			sized(tm, quantities{"memory": "2Gi"}, quantities{"memory": "xyz"}),
			at("limits.memory", "limits memory parse error"),
		},
		"cpu -1": {
			"nobody has that",
			sized(tm, quantities{"memory": "2Gi", "cpu": "-1"}, nil),
			at("requests.cpu", "requests cpu must be positive: -1"),
		},
		"cpu 0": {
			"no request is left out, not 0",
			sized(tm, quantities{"memory": "2Gi", "cpu": "0"}, nil),
			at("requests.cpu", "requests cpu must be positive: 0"),
		},
		"storage -5Gi": {"nobody has that", sized(tm, quantities{"memory": "2Gi", "ephemeral-storage": "-5Gi"}, nil),
			at("requests.ephemeral-storage", "requests ephemeral-storage must not be negative: -5Gi")},
		"storage 0": {
			"none is fine",
			sized(tm, quantities{"memory": "2Gi", "ephemeral-storage": "0"}, nil),
			nil,
		},
		"storage x": {
			"no quantity",
			sized(tm, quantities{"memory": "2Gi", "ephemeral-storage": "x"}, nil),
			at("requests.ephemeral-storage", "requests ephemeral-storage parse error"),
		},
		"memory above limit": {
			"Kubernetes refuses the pod",
			sized(tm, quantities{"memory": "4Gi"}, quantities{"memory": "2Gi"}),
			at("requests.memory", "memory request (4Gi) must not exceed its limit (2Gi)"),
		},
		"cpu above limit": {
			"Kubernetes refuses the pod",
			sized(tm, quantities{"memory": "2Gi", "cpu": "1000m"}, quantities{"cpu": "500m"}),
			at("requests.cpu", "cpu request (1000m) must not exceed its limit (500m)"),
		},
		"2048m below 4Gi": {
			"memory is read as Flink reads it",
			sized(tm, quantities{"memory": "2048m"}, quantities{"memory": "4Gi"}),
			nil,
		},
		"4g above 2Gi": {
			"memory is read as Flink reads it",
			sized(tm, quantities{"memory": "4g"}, quantities{"memory": "2Gi"}),
			at("requests.memory", "memory request (4g) must not exceed"),
		},
		"storage above limit": {
			"left to Kubernetes",
			sized(tm, quantities{"memory": "2Gi", "ephemeral-storage": "2Gi"}, quantities{"ephemeral-storage": "1Gi"}),
			nil,
		},
		"unreadable limit": {
			"it is told once, and not compared",
			sized(tm, quantities{"memory": "2Gi", "cpu": "1"}, quantities{"cpu": "x"}),
			at("limits.cpu", "limits cpu parse error"),
		},
		"many problems": {"all of them are told",
			sized(tm, quantities{"memory": "0", "cpu": "x"}, quantities{"memory": "y", "cpu": "-1"}),
			[]finding{{"spec.taskManager.resources.requests.cpu", "parse error"},
				{"spec.taskManager.resources.requests.memory", "must be positive"},
				{"spec.taskManager.resources.limits.cpu", "must be positive"},
				{"spec.taskManager.resources.limits.memory", "parse error"}}},
	} {
		t.Run(name, row.run)
	}
}

// The table of memory texts of the Java operator: what is read, and what is not.
func TestMemoryTexts(t *testing.T) {
	for text, readable := range map[string]bool{
		"2g": true, "2G": true, "2 g": true, "2gb": true, "2048m": true, "2Gi": true, "2 Gi": true, "2gi": true,
		"2gib": true, "2048Mi": true,
		"512m": true, "512mi": true, "1000000b": true, "1000000 b": true, "1e6": true, "1e6 b": true, "100": true,
		"1.5Gi": false, "-2Gi": false, "invalid": false, "abc": false,
	} {
		row := deploymentRow{
			reason: "memory " + text, change: sized("jobManager", quantities{"memory": v1beta1.Quantity(text)}, nil),
		}
		if !readable {
			row.want = one(
				"spec.jobManager.resources.requests.memory", "JobManager resource requirements requests memory parse error",
			)
		}
		t.Run(text, row.run)
	}
}

func TestReplicas(t *testing.T) {
	jm := func(n int32) func(*input) { return func(in *input) { in.Spec.JobManager.Replicas = ptr(n) } }
	session := func(n *int32) func(*input) {
		return func(in *input) { in.Spec.Job, in.Spec.TaskManager.Replicas = nil, n }
	}
	const tooFew = "TaskManager replicas should not be configured less than one."
	for name, row := range map[string]deploymentRow{
		"JobManagers not set": {
			"one is the default",
			func(in *input) { in.Spec.JobManager.Replicas = nil },
			nil,
		},
		"0 JobManagers": {
			"suspend the job instead",
			jm(0),
			one("spec.jobManager.replicas", "JobManager replicas should not be configured less than one."),
		},
		"2 JobManagers": {"a standby takes over by HA", jm(2), nil},
		"2 JobManagers without HA": {
			"a standby could not take over",
			both(replace(), jm(2)),
			one("spec.jobManager.replicas", "High availability should be enabled when starting standby JobManagers."),
		},
		"session, TaskManagers": {"started at once", session(ptr(int32(1))), nil},
		"session, none given":   {"started on demand", session(nil), nil},
		"session, 0 TaskManagers": {
			"leave it out instead",
			session(ptr(int32(0))),
			one("spec.taskManager.replicas", tooFew),
		},
		"session, fewer than 0": {
			"no such number",
			session(ptr(int32(-1))),
			one("spec.taskManager.replicas", tooFew),
		},
		"application, TaskManagers": {
			"they give the parallelism",
			func(in *input) { in.Spec.TaskManager.Replicas = ptr(int32(3)) },
			nil,
		},
		"application, fewer than 0": {
			"it is told once",
			func(in *input) { in.Spec.TaskManager.Replicas = ptr(int32(-1)) },
			one("spec.taskManager.replicas", "TaskManager replicas must be larger than 0"),
		},
		"session without JobManager": {
			"it still needs memory",
			func(in *input) { in.Spec.Job, in.Spec.JobManager = nil, nil },
			one("spec.jobManager.resources.requests.memory", "must be defined"),
		},
	} {
		t.Run(name, row.run)
	}
}
