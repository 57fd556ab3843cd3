package rest

import (
	"sort"
	"strings"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
)

// object is a JSON object.
type object = map[string]any

func (c *call) flinkVersion() string { return c.jm.Config.Version() + ".5" }

func clusterOverview(c *call) (any, error) {
	running, counts := 0, map[job.State]int{}
	used := 0
	for _, j := range c.jm.Jobs() {
		counts[j.State]++
		if !j.State.Ended() {
			running++
		}
		if j.State == job.Running {
			used += c.jm.Need(j)
		}
	}
	return object{
		"taskmanagers": len(c.jm.TaskManagers()), "slots-total": c.jm.Slots(), "slots-available": max(0, c.jm.Slots()-used),
		"jobs-running": running, "jobs-finished": counts[job.Finished], "jobs-cancelled": counts[job.Canceled],
		"jobs-failed": counts[job.Failed], "flink-version": c.flinkVersion(), "flink-commit": "0000000",
	}, nil
}

func clusterConfig(c *call) (any, error) {
	return object{
		"refresh-interval": 3000, "timezone-name": "Coordinated Universal Time", "timezone-offset": 0,
		"flink-version": c.flinkVersion(), "flink-revision": "0000000 @ 2026-01-01T00:00:00+00:00",
		"features": object{
			"web-submit": !c.jm.Application(), "web-cancel": c.jm.Config["web.cancel.enable"] != "false",
			"web-rescale": false, "web-history": false,
		},
	}, nil
}

func listTaskManagers(c *call) (any, error) {
	managers := []any{}
	for _, name := range c.jm.TaskManagers() {
		managers = append(managers, object{
			"id": name, "path": "pekko.tcp://flink@" + name + ":6122/user/rpc/taskmanager_0", "dataPort": 40000,
			"jmxPort":                -1,
			"timeSinceLastHeartbeat": millis(c.jm.Now(), 0), "slotsNumber": c.jm.SlotsEach(), "freeSlots": 0,
			"hardware": object{"cpuCores": 1, "physicalMemory": 2 << 30, "freeMemory": 512 << 20, "managedMemory": 230 << 20},
			"memoryConfiguration": object{
				"totalFlinkMemory": 576 << 20, "totalProcessMemory": 1 << 30, "taskHeap": 25 << 20, "managedMemory": 230 << 20,
				"networkMemory": 64 << 20, "jvmMetaspace": 256 << 20, "jvmOverhead": 192 << 20,
			},
		})
	}
	return object{"taskmanagers": managers}, nil
}

func jobManagerConfig(c *call) (any, error) {
	entries := []any{}
	for _, key := range c.jm.Config.Keys() {
		value := c.jm.Config[key]
		if lower := strings.ToLower(key); strings.Contains(lower, "password") || strings.Contains(lower, "secret") {
			value = "******"
		}
		entries = append(entries, object{"key": key, "value": value})
	}
	return entries, nil
}

// plainMetrics are those of one process: names without get, values with it. What is not there is left out.
func plainMetrics(scope string) func(*call) (any, error) {
	return func(c *call) (any, error) { return plain(c, c.jm.Metrics(scope)), nil }
}

func plain(c *call, values map[string]string) []any {
	list := []any{}
	for _, name := range asked(c, values) {
		switch value, there := values[name]; {
		case !c.r.URL.Query().Has("get"):
			list = append(list, object{"id": name})
		case there:
			list = append(list, object{"id": name, "value": value})
		}
	}
	return list
}

// asked are the names of the query, or all there are.
func asked(c *call, values map[string]string) []string {
	if get := c.r.URL.Query().Get("get"); get != "" {
		return strings.Split(get, ",")
	}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// aggregate are metrics over several processes. If one of the names has no value the answer is empty, as in Flink.
func aggregate(c *call, values map[string]string) []any {
	list := []any{}
	for _, name := range asked(c, values) {
		value, there := values[name]
		switch {
		case !c.r.URL.Query().Has("get"):
			list = append(list, object{"id": name})
		case !there:
			return []any{}
		default:
			list = append(
				list,
				object{
					"id": name, "min": number(value), "max": number(value), "avg": number(value), "sum": number(value), "skew": 0,
				},
			)
		}
	}
	return list
}
