package flinkconf_test

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

func TestNormalizeMemory(t *testing.T) {
	for text, want := range map[string]struct {
		normal string
		bytes  int64
	}{
		"2g": {
			"2 gb",
			2 << 30,
		}, "2G": {"2 gb", 2 << 30}, "2 g": {"2 gb", 2 << 30}, "2gb": {"2 gb", 2 << 30}, "2048m": {"2 gb", 2 << 30},
		"2Gi": {
			"2147483648",
			2 << 30,
		}, "2 Gi": {"2147483648", 2 << 30}, "2gi": {"2147483648", 2 << 30}, "2gib": {"2147483648", 2 << 30},
		"2048Mi": {
			"2147483648",
			2 << 30,
		}, "1Gi": {"1073741824", 1 << 30}, "512m": {"512 mb", 512 << 20}, "512mi": {"536870912", 512 << 20},
		"1024m": {"1 gb", 1 << 30}, "1024mi": {"1073741824", 1 << 30}, "1000000b": {"1000000 bytes", 1000000},
		"1000000 b": {
			"1000000 bytes",
			1000000,
		}, "1e6": {"1000000", 1000000}, "1e6 b": {"1000000", 1000000}, "100": {"100 bytes", 100},
		"1600m": {"1600 mb", 1600 << 20}, "2P": {"2000000000000000", 2e15},
		"0Gi": {"0", 0},
	} {
		normal, bytes, err := flinkconf.NormalizeMemory(text)
		if err != nil || normal != want.normal || bytes != want.bytes {
			t.Errorf("NormalizeMemory(%q) = %q, %d, %v, want %q, %d", text, normal, bytes, err, want.normal, want.bytes)
		}
	}
	for text, reason := range map[string]string{
		"1.5Gi": "Flink reads whole numbers only", "1.0Gi": "also when the fraction is zero",
		"-2Gi":    "sizes are not negative",
		"invalid": "no number", "": "nothing", "20000000000Gi": "more than 64 bits", "1m2": "no unit",
		"5u": "less than a byte",
	} {
		if normal, _, err := flinkconf.NormalizeMemory(text); err == nil ||
			!strings.Contains(err.Error(), strconv.Quote(text)) {
			t.Errorf("NormalizeMemory(%q) = %q, %v, want an error that quotes it: %s", text, normal, err, reason)
		}
	}
}

// TestNormalMemoryIsFlinkSyntax: whatever was accepted, Flink reads the same number of bytes.
func TestNormalMemoryIsFlinkSyntax(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[0-9]{1,9}(\.[0-9])?( )?([kKmMgGtT]i?[bB]?|[bB]|e[0-3]|)`).Draw(t, "text")
		normal, bytes, err := flinkconf.NormalizeMemory(text)
		if err != nil {
			return
		}
		if got, err := flinkconf.ParseMemory(normal); err != nil || got != bytes {
			t.Fatalf("%q became %q, %d bytes; Flink reads %d, %v", text, normal, bytes, got, err)
		}
	})
}

func TestResources(t *testing.T) {
	for name, tc := range map[string]struct {
		spec   string
		want   map[string]string
		reason string
	}{
		"requests": {
			`{jobManager: {resources: {requests: {memory: 4Gi, cpu: 2}}}, taskManager: {resources: {requests: {cpu: 500m}}}}`,
			map[string]string{"jobmanager.memory.process.size": "4294967296", "kubernetes.jobmanager.cpu.amount": "2.0",
				"kubernetes.taskmanager.cpu.amount": "0.5", "taskmanager.memory.process.size": "-",
				"kubernetes.jobmanager.cpu.limit-factor": "-", "kubernetes.jobmanager.memory.limit-factor": "-"},
			"requests size the container, and without limits there are no factors",
		},
		"limits only": {`{jobManager: {resources: {limits: {memory: 2Gi, cpu: 2}}}}`,
			map[string]string{"jobmanager.memory.process.size": "2147483648", "kubernetes.jobmanager.cpu.amount": "2.0",
				"kubernetes.jobmanager.cpu.limit-factor": "-", "kubernetes.jobmanager.memory.limit-factor": "-"},
			"Kubernetes takes a limit for the request too"},
		"both": {
			`{taskManager: {resources: {requests: {memory: 1Gi, cpu: 500m}, limits: {memory: 2048Mi, cpu: 1}}}}`,
			map[string]string{
				"taskmanager.memory.process.size":            "1073741824",
				"kubernetes.taskmanager.cpu.amount":          "0.5",
				"kubernetes.taskmanager.cpu.limit-factor":    "2.0",
				"kubernetes.taskmanager.memory.limit-factor": "2.0",
			},
			"limit over request",
		},
		"factor below one": {
			`{jobManager: {resources: {requests: {cpu: 2}, limits: {cpu: 1}}}}`,
			map[string]string{"kubernetes.jobmanager.cpu.limit-factor": "0.5"},
			"whether that makes sense is for validation",
		},
		"zero request": {
			`{jobManager: {resources: {requests: {cpu: 0}, limits: {cpu: 2}}}}`,
			map[string]string{"kubernetes.jobmanager.cpu.amount": "0.0", "kubernetes.jobmanager.cpu.limit-factor": "-"},
			"nothing is divided by zero",
		},
		"limit factor trap": {
			`{jobManager: {resources: {requests: {memory: 2048m}, limits: {memory: 4Gi}}}}`,
			map[string]string{
				"jobmanager.memory.process.size":            "2 gb",
				"kubernetes.jobmanager.memory.limit-factor": "2.097152E9",
			},
			"the size is a Flink memory size, the factor plain Kubernetes arithmetic, where 2048m is 2.048",
		},
		"limit factor of flink sizes": {
			`{jobManager: {resources: {requests: {memory: 2 gb}, limits: {memory: 3Gi}}}}`,
			map[string]string{
				"jobmanager.memory.process.size":            "2 gb",
				"kubernetes.jobmanager.memory.limit-factor": "1.5",
			},
			"2 gb is no Kubernetes quantity, so both are read as sizes; the Java operator fails here",
		},
		"resource": {
			`{jobManager: {resource: {cpu: 2, memory: 4096m}}, taskManager: {resource: {cpu: 1.5, memory: 2048m}}}`,
			map[string]string{"jobmanager.memory.process.size": "4 gb", "kubernetes.jobmanager.cpu.amount": "2.0",
				"taskmanager.memory.process.size": "2 gb", "kubernetes.taskmanager.cpu.amount": "1.5"},
			"the older way",
		},
		"resources win": {
			`{jobManager: {resource: {cpu: 1, memory: 1024m}, resources: {requests: {memory: 4Gi, cpu: 2}}}}`,
			map[string]string{
				"jobmanager.memory.process.size":   "4294967296",
				"kubernetes.jobmanager.cpu.amount": "2.0",
			},
			"the newer way hides the older",
		},
		"empty resources": {
			`{jobManager: {resource: {cpu: 2, memory: 4096m}, resources: {}}}`,
			map[string]string{"jobmanager.memory.process.size": "4 gb", "kubernetes.jobmanager.cpu.amount": "2.0"},
			"empty ones say nothing",
		},
		"other resource hides too": {
			`{jobManager: {resource: {memory: 1g}, resources: {requests: {ephemeral-storage: 1Gi}}}}`,
			map[string]string{"jobmanager.memory.process.size": "-"},
			"any request or limit hides the older way",
		},
		"replicas": {
			`{jobManager: {replicas: 2}, taskManager: {replicas: 5}}`,
			map[string]string{"kubernetes.jobmanager.replicas": "2", "kubernetes.internal.taskmanager.replicas": "5"},
			"as written",
		},
		"default replicas": {
			`{}`,
			map[string]string{"kubernetes.jobmanager.replicas": "1", "kubernetes.internal.taskmanager.replicas": "-"},
			"one JobManager, TaskManagers as needed",
		},
		"no replicas": {
			`{jobManager: {replicas: 0}, taskManager: {replicas: 0}}`,
			map[string]string{"kubernetes.jobmanager.replicas": "-", "kubernetes.internal.taskmanager.replicas": "-"},
			"zero is for validation to refuse",
		},
		"1.16": {
			`{flinkVersion: v1_16, jobManager: {resource: {cpu: 1}}, taskManager: {resources: {requests: {cpu: 1}}}}`,
			map[string]string{
				"kubernetes.jobmanager.cpu":         "1.0",
				"kubernetes.taskmanager.cpu":        "1.0",
				"kubernetes.jobmanager.cpu.amount":  "1.0",
				"kubernetes.taskmanager.cpu.amount": "1.0",
			},
			"images before 1.17 know the older keys only",
		},
		"user size loses": {
			`{flinkConfiguration: {jobmanager.memory.process.size: 1g}, jobManager: {resource: {memory: 2g}}}`,
			map[string]string{"jobmanager.memory.process.size": "2 gb"},
			"the spec's own fields win over flinkConfiguration",
		},
	} {
		t.Run(name, func(t *testing.T) {
			has(t, deploy(t, input(t, tc.spec)).Cluster, tc.want, tc.reason)
		})
	}
}

func TestResourceErrors(t *testing.T) {
	for name, tc := range map[string]struct{ spec, path, reason string }{
		"memory": {
			`{jobManager: {resources: {requests: {memory: 1.5Gi}}}}`,
			"spec.jobManager.resources.requests.memory",
			"fractions are no Flink memory size",
		},
		"limit memory": {
			`{taskManager: {resources: {limits: {memory: abc}}}}`,
			"spec.taskManager.resources.limits.memory",
			"the section is named",
		},
		"older memory": {
			`{taskManager: {resource: {memory: abc}}}`,
			"spec.taskManager.resource.memory",
			"also in the older way",
		},
		"cpu": {
			`{jobManager: {resources: {requests: {cpu: two}}}}`,
			"spec.jobManager.resources.requests.cpu",
			"not a quantity",
		},
		"cpu limit": {
			`{jobManager: {resources: {requests: {cpu: 2}, limits: {cpu: x}}}}`,
			"spec.jobManager.resources.limits.cpu",
			"needed for the factor",
		},
		"memory limit": {
			`{jobManager: {resources: {requests: {memory: 2g}, limits: {memory: x}}}}`,
			"spec.jobManager.resources.limits.memory",
			"needed for the factor",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := flinkconf.Deploy(input(t, tc.spec))
			if err == nil || !strings.Contains(err.Error(), tc.path+":") {
				t.Errorf("error = %v, want it to name %s: %s", err, tc.path, tc.reason)
			}
		})
	}
}
