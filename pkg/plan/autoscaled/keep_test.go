package autoscaled

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

const overrides = "pipeline.jobvertex-parallelism-overrides"

// sized is a spec with a configuration, and with the memory of its TaskManagers.
func sized(t *testing.T, configuration, memory string) *v1beta1.FlinkDeploymentSpec {
	t.Helper()
	spec := &v1beta1.FlinkDeploymentSpec{
		Job: &v1beta1.JobSpec{Parallelism: 2}, FlinkConfiguration: v1beta1.FlinkConfiguration(configuration),
	}
	spec.TaskManager = &v1beta1.TaskManagerSpec{Resource: &v1beta1.Resource{Memory: memory}}
	return spec
}

func stored(data map[string]string) plan.Observed[Store] { return plan.Present(Store{Data: data}) }

func TestTheParallelismOfVerticesIsKept(t *testing.T) {
	const javaMap, yamlMap = "v1:8,v2:3", "{v2: '3', v1: '8'}"
	both := stored(map[string]string{"parallelismOverrides": javaMap})
	rows := map[string]struct {
		user, recorded string
		more           string
		store          plan.Observed[Store]
		want           string
		reason         string
	}{
		"stored": {"", javaMap, "", both, javaMap, "autoscaler.md 4.8"},
		"stored as YAML": {
			"", yamlMap, "", stored(map[string]string{"parallelismOverrides": yamlMap}), yamlMap,
			"a cluster with config.yaml; the text is used again as it is",
		},
		"in another order": {
			"", "v2:3,v1:8", "", both, "v2:3,v1:8", "O1: a text in another order is no change",
		},
		"decided, not deployed": {"", "v1:4", "", both, "v1:8,v2:3", "4.8: stored first, applied in each cycle afterwards"},
		"stored text cannot be read": {
			"v1:1", "v1:4", "", stored(map[string]string{"parallelismOverrides": "v1"}), "v1:4", "Unknown never restarts a job",
		},
		"the store is gone": {"", javaMap, "", plan.Absent[Store](), javaMap, "a backup without it"},
		"the store cannot be read": {
			"v1:1", javaMap, "", plan.Unknown[Store]("forbidden"), javaMap, "Unknown never restarts a job",
		},
		"nothing was ever stored":    {"", javaMap, "", stored(nil), "", "the user took his own away"},
		"the user's, nothing stored": {"v1:4", "v1:2", "", stored(nil), "v1:4", "the user changed his own"},
		"the user's, the store is gone": {
			"v1:4", "v1:2", "", plan.Absent[Store](), "v1:4", "nobody else is known to have set it",
		},
		"the user's beside a stored one": {
			"v3:5", "v1:8,v3:4", "", stored(map[string]string{"parallelismOverrides": "v1:8"}), "v1:8,v3:5",
			"4.8: laid over the user's",
		},
		"the user's is stored, too": {"v1:1", "v1:8", "", both, javaMap, "4.8: the autoscaler wins"},
		"an excluded vertex": {
			"v1:1", javaMap, `,"job.autoscaler.vertex.exclude.ids":"v1;v9"`, both, "v1:1,v2:3", "4.8: the user wins",
		},
		"an excluded one, not set": {
			"", javaMap, `,"job.autoscaler.vertex.exclude.ids":"v1"`, both, javaMap, "4.8: where he says something",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			conf := func(value, more string) string {
				text := `{"job.autoscaler.enabled":"true"` + more
				if value != "" {
					text += `,"` + overrides + `":"` + value + `"`
				}
				return text + "}"
			}
			user, recorded := sized(t, conf(row.user, row.more), "2g"), sized(t, conf(row.recorded, row.more), "2g")
			got := keep(t, user, recorded, row.store)
			if flat(t, got)[overrides] != row.want {
				t.Errorf("%s %q, want %q: %s", overrides, flat(t, got)[overrides], row.want, row.reason)
			}
			if flat(t, user)[overrides] != row.user {
				t.Error("the user's spec was written to")
			}
		})
	}
}

func TestTunedMemoryIsKept(t *testing.T) {
	const (
		user = `{"job.autoscaler.enabled":"true","job.autoscaler.memory.tuning.enabled":"true",` +
			`"taskmanager.memory.task.heap.size":"1g"}`
		tuned = `{"job.autoscaler.enabled":"true","job.autoscaler.memory.tuning.enabled":"true",
			"taskmanager.memory.process.size":"13760 kb",
"taskmanager.memory.framework.heap.size":"0 bytes","taskmanager.memory.network.min":"1 mb","taskmanager.memory.network.max":"1 mb"}`
		store = "removals:\n- taskmanager.memory.task.heap.size\noverrides:\n  taskmanager.memory.process.size: " +
			"13760 kb\n" +
			"  taskmanager.memory.framework.heap.size: 0 bytes\n  taskmanager.memory.network.min: 1 mb\n  " +
			"taskmanager.memory.network.max: 1 mb\n"
	)
	off := func(text string) string {
		return `{"job.autoscaler.enabled":"true","job.autoscaler.memory.tuning.enabled":"false"` + text[len(
			`{"job.autoscaler.enabled":"true","job.autoscaler.memory.tuning.enabled":"true"`,
		):]
	}
	rows := map[string]struct {
		user, recorded string
		store          plan.Observed[Store]
		kept           bool
		reason         string
	}{
		"stored": {
			user, tuned, stored(map[string]string{"configOverrides": store}), true, "autoscaler.md 4.8",
		},
		"the store is gone":        {user, tuned, plan.Absent[Store](), true, "no framework heap is a sign of tuning"},
		"the store cannot be read": {user, tuned, plan.Unknown[Store]("forbidden"), true, "Unknown never restarts a job"},
		"nothing was ever stored": {
			user, tuned, stored(map[string]string{"configOverrides": "overrides: {}\nremovals: []\n"}), false,
			"the user's own options",
		},
		"a store that is broken": {
			user, tuned, stored(map[string]string{"configOverrides": "{"}), false, "1.3: no changes",
		},
		"tuning is off now": {
			off(user), off(tuned), stored(map[string]string{"configOverrides": store}), false,
			"6.4: back to the user's memory",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			asked, recorded := sized(t, row.user, "2g"), sized(t, row.recorded, "14090240")
			limit := map[string]v1beta1.Quantity{"memory": "1g", "cpu": "1"}
			asked.TaskManager.Resources = &v1beta1.ResourceRequirements{Limits: limit}
			recorded.TaskManager.Resources = &v1beta1.ResourceRequirements{
				Limits: map[string]v1beta1.Quantity{"memory": "14090240"},
			}
			got, want := keep(t, asked, recorded, row.store), asked
			if row.kept {
				want = recorded
			}
			text, _ := json.Marshal(flat(t, got))
			wanted, _ := json.Marshal(flat(t, want))
			if string(text) != string(wanted) {
				t.Errorf("options %s, want %s: %s", text, wanted, row.reason)
			}
			if got.TaskManager.Resource.Memory != want.TaskManager.Resource.Memory ||
				got.TaskManager.Resources.Limits["memory"] != want.TaskManager.Resources.Limits["memory"] ||
				got.TaskManager.Resources.Limits["cpu"] != "1" {
				t.Errorf("TaskManagers %+v %+v: %s", got.TaskManager.Resource, got.TaskManager.Resources, row.reason)
			}
			if limit["memory"] != "1g" {
				t.Error("the user's spec was written to")
			}
		})
	}
}

// A user's own framework heap of nothing is no sign of the Java operator's tuning.
func TestTheUsersOwnMemoryStays(t *testing.T) {
	const (
		on   = `"job.autoscaler.enabled":"true","job.autoscaler.memory.tuning.enabled":"true"`
		sign = `,"taskmanager.memory.framework.heap.size":"0 bytes"`
		flat = `,"taskmanager.memory.network.min":`
	)
	rows := map[string]struct{ user, recorded, reason string }{
		"his own": {on + sign + flat + `"2 mb"`, on + sign + flat + `"1 mb"`, "he set the framework heap himself"},
		"no sign": {on + flat + `"2 mb"`, on + flat + `"1 mb"`, "nobody tuned"},
		"another framework heap": {
			on + flat + `"2 mb"`, on + `,"taskmanager.memory.framework.heap.size":"1 mb"` + flat + `"1 mb"`, "nobody tuned",
		},
	}
	for name, row := range rows {
		user, recorded := sized(t, "{"+row.user+"}", "2g"), sized(t, "{"+row.recorded+"}", "1g")
		if got := keep(t, user, recorded, plan.Absent[Store]()); got != user {
			t.Errorf("%s: %s %+v is kept: %s", name, got.FlinkConfiguration, got.TaskManager.Resource, row.reason)
		}
	}
	removals := stored(map[string]string{
		"configOverrides": "removals:\n- taskmanager.memory.network.min\noverrides: {}\n",
	})
	user := sized(t, "{"+on+flat+`"2 mb"}`, "2g")
	if got := keep(t, user, sized(t, "{"+on+"}", "1g"), removals); got != user {
		t.Errorf("an option is taken away, and none was set: %s", got.FlinkConfiguration)
	}
}

// The memory of the TaskManagers is taken over where both specs say one; what either leaves out stays out.
func TestTunedMemoryOfTaskManagers(t *testing.T) {
	const on = `"job.autoscaler.enabled":"true","job.autoscaler.memory.tuning.enabled":"true"`
	store := stored(map[string]string{"configOverrides": "overrides:\n  taskmanager.memory.process.size: 1 gb\n"})
	old := func(memory string) *v1beta1.TaskManagerSpec {
		return &v1beta1.TaskManagerSpec{Resource: &v1beta1.Resource{Memory: memory}}
	}
	usable := func(quantity v1beta1.Quantity) *v1beta1.TaskManagerSpec {
		list := map[string]v1beta1.Quantity{"cpu": "1"}
		if quantity != "" {
			list["memory"] = quantity
		}
		return &v1beta1.TaskManagerSpec{Resources: &v1beta1.ResourceRequirements{Requests: list}}
	}
	rows := map[string]struct{ user, recorded, want *v1beta1.TaskManagerSpec }{
		"both, older field":            {old("2g"), old("1g"), old("1g")},
		"the user says none":           {old(""), old("1g"), old("")},
		"the record has another field": {old("2g"), usable("1g"), old("2g")},
		"the user has another field":   {usable("2g"), old("1g"), usable("2g")},
		"both":                         {usable("2g"), usable("1g"), usable("1g")},
		"the user requests none":       {usable(""), usable("1g"), usable("")},
		"the record requests none":     {usable("2g"), usable(""), usable("2g")},
		"the user has none":            {nil, usable("1g"), nil},
		"the record has none":          {usable("2g"), nil, usable("2g")},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			user := sized(t, "{"+on+"}", "")
			recorded := sized(t, "{"+on+`,"taskmanager.memory.process.size":"1 gb"}`, "")
			user.TaskManager, recorded.TaskManager = row.user, row.recorded
			got := keep(t, user, recorded, store)
			if flat(t, got)["taskmanager.memory.process.size"] != "1 gb" {
				t.Errorf("the tuned option is not kept: %s", got.FlinkConfiguration)
			}
			if !reflect.DeepEqual(got.TaskManager, row.want) {
				t.Errorf("TaskManagers %+v, want %+v", got.TaskManager, row.want)
			}
		})
	}
}

// A session cluster has no job that an autoscaler sizes.
func TestNothingIsKeptWithoutAJob(t *testing.T) {
	both := stored(map[string]string{"parallelismOverrides": "v1:8"})
	for _, row := range []struct{ user, recorded bool }{{true, false}, {false, true}, {false, false}} {
		user := sized(t, `{"job.autoscaler.enabled":"true"}`, "2g")
		recorded := sized(t, `{"`+overrides+`":"v1:8"}`, "2g")
		if !row.user {
			user.Job = nil
		}
		if !row.recorded {
			recorded.Job = nil
		}
		if got := keep(t, user, recorded, both); got != user {
			t.Errorf("job %t, recorded job %t: %s is kept", row.user, row.recorded, got.FlinkConfiguration)
		}
	}
}

func TestMayShow(t *testing.T) {
	for recorded, want := range map[string]bool{
		`{"` + overrides + `":"v1:8"}`:                   true,
		`{"taskmanager.memory.framework.heap.size":"0"}`: true,
		`{"job.autoscaler.enabled":"true"}`:              false,
	} {
		if got := MayShow(recorded); got != want {
			t.Errorf("%s: %t, want %t", recorded, got, want)
		}
	}
}

func TestAResetGivesUpWhatWasSet(t *testing.T) {
	one, two := int64(1), int64(2)
	recorded := sized(t, `{"`+overrides+`":"v1:8"}`, "2g")
	recorded.Job.AutoscalerResetNonce = &one
	for _, row := range []struct {
		nonce *int64
		kept  bool
	}{{nil, true}, {&one, true}, {&two, false}} {
		user := sized(t, `{"job.autoscaler.enabled":"true"}`, "2g")
		user.Job.AutoscalerResetNonce = row.nonce
		if got := keep(t, user, recorded, plan.Absent[Store]()); (flat(t, got)[overrides] != "") != row.kept {
			t.Errorf("nonce %v: kept %t", row.nonce, !row.kept)
		}
	}
}

func TestWhereTheAutoscalerIsOn(t *testing.T) {
	both := stored(map[string]string{"parallelismOverrides": "v1:8"})
	rows := map[string]struct {
		configuration string
		store         plan.Observed[Store]
		kept          bool
		reason        string
	}{
		"on": {`{"job.autoscaler.enabled":"true"}`, both, true, "6.4"},
		"on by the older key": {
			`{"kubernetes.operator.job.autoscaler.enabled":"true"}`, both, true, "a fallback key",
		},
		"off": {
			`{"job.autoscaler.enabled":"false"}`, both, false, "6.4: back to the size of the spec",
		},
		"not set, and stored":             {`{}`, both, true, "a default of the Java operator had turned it on"},
		"not set, nothing stored":         {`{}`, stored(nil), false, "the user took his own away"},
		"not set, no store":               {`{}`, plan.Absent[Store](), false, "the user took his own away"},
		"not set, the store is not known": {`{}`, plan.Unknown[Store]("forbidden"), true, "Unknown never restarts a job"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			got := keep(t, sized(t, row.configuration, "2g"), sized(t, `{"`+overrides+`":"v1:8"}`, "2g"), row.store)
			if (flat(t, got)[overrides] != "") != row.kept {
				t.Errorf("kept %t: %s", !row.kept, row.reason)
			}
		})
	}
}

// keep is Keep with the configuration of the spec alone; the spec itself when there is nothing to keep.
func keep(
	t *testing.T, user, recorded *v1beta1.FlinkDeploymentSpec, store plan.Observed[Store],
) *v1beta1.FlinkDeploymentSpec {
	t.Helper()
	if got := Keep(user, recorded, flinkconf.NewOperator(nil).Base().Merge(flat(t, user)), store); got != nil {
		return got
	}
	return user
}

func flat(t *testing.T, spec *v1beta1.FlinkDeploymentSpec) flinkconf.Config {
	t.Helper()
	c, err := flinkconf.Flatten(spec.FlinkConfiguration)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
