package flinkconf

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// role is the side of a cluster that resources are for: its options.
type role struct {
	path                 string // in the spec
	memory, cpu          Option
	cpuFactor, memFactor Option
	legacyCPU            string
	resources            *v1beta1.ResourceRequirements
	legacy               *v1beta1.Resource
}

// applyResources turns the sizes of jobManager and taskManager into options.
//
//	written                                   | option
//	------------------------------------------+---------------------------------------------------------------
//	resources with a request or a limit       | request, else limit, as size; limit / request as limit factor
//	resource (only without such resources)    | memory and cpu as size
//	jobManager.replicas > 0                   | kubernetes.jobmanager.replicas
//	taskManager.replicas > 0                  | kubernetes.internal.taskmanager.replicas
//	standalone application without the latter | the same, parallelism / slots rounded up, unless set
func applyResources(c Config, spec *v1beta1.FlinkDeploymentSpec) error {
	legacyCPU := BehaviourOf(spec.FlinkVersion).LegacyCPUKeys
	if jm := spec.JobManager; jm != nil {
		r := role{"spec.jobManager", key.JobManagerProcessMemory, key.JobManagerCPU, key.JobManagerCPULimitFactor,
			key.JobManagerMemoryLimitFactor, key.JobManagerCPU.Fallbacks[0], jm.Resources, jm.Resource}
		if err := applyRole(c, r, legacyCPU); err != nil {
			return err
		}
		if replicas := jm.DesiredReplicas(); replicas > 0 {
			c.Set(key.JobManagerReplicas, strconv.Itoa(int(replicas)))
		}
	}
	if tm := spec.TaskManager; tm != nil {
		r := role{"spec.taskManager", key.TaskManagerProcessMemory, key.TaskManagerCPU, key.TaskManagerCPULimitFactor,
			key.TaskManagerMemoryLimitFactor, key.TaskManagerCPU.Fallbacks[0], tm.Resources, tm.Resource}
		if err := applyRole(c, r, legacyCPU); err != nil {
			return err
		}
		if tm.Replicas != nil && *tm.Replicas > 0 {
			c.Set(key.TaskManagerReplicas, strconv.Itoa(int(*tm.Replicas)))
		}
	}
	return applyStandaloneReplicas(c, spec)
}

func applyRole(c Config, r role, legacyCPU bool) error {
	if !r.resources.IsUsable() {
		return applyLegacyResource(c, r, legacyCPU)
	}
	if text, path := requestOrLimit(r, "memory"); text != "" {
		normal, _, err := NormalizeMemory(string(text))
		if err != nil {
			return fmt.Errorf("%s.resources.%s.memory: %w", r.path, path, err)
		}
		c.Set(r.memory, normal)
	}
	if text, path := requestOrLimit(r, "cpu"); text != "" {
		cores, err := number(text)
		if err != nil {
			return fmt.Errorf("%s.resources.%s.cpu: %w", r.path, path, err)
		}
		applyCPU(c, r, cores, legacyCPU)
	}
	if err := applyFactor(c, r, "cpu", r.cpuFactor); err != nil {
		return err
	}
	return applyFactor(c, r, "memory", r.memFactor)
}

func applyLegacyResource(c Config, r role, legacyCPU bool) error {
	if r.legacy == nil {
		return nil
	}
	if r.legacy.Memory != "" {
		normal, _, err := NormalizeMemory(r.legacy.Memory)
		if err != nil {
			return fmt.Errorf("%s.resource.memory: %w", r.path, err)
		}
		c.Set(r.memory, normal)
	}
	if r.legacy.CPU != nil {
		applyCPU(c, r, *r.legacy.CPU, legacyCPU)
	}
	return nil
}

func applyCPU(c Config, r role, cores float64, legacy bool) {
	c.Set(r.cpu, syntax.FormatFloat(cores))
	if legacy {
		c[r.legacyCPU] = syntax.FormatFloat(cores)
	}
}

// applyFactor sets limit / request when both are written and the request is positive. Memory is taken as a plain
// Kubernetes quantity here, as the Java operator does, though its size is read as a Flink memory size; only where one
// of the two is no Kubernetes quantity ("2 gb"), which fails there, both are read as sizes.
func applyFactor(c Config, r role, name string, factor Option) error {
	request, limit := r.resources.Requests[name], r.resources.Limits[name]
	if request == "" || limit == "" {
		return nil
	}
	requested, err := number(request)
	if err != nil {
		err = fmt.Errorf("%s.resources.requests.%s: %w", r.path, name, err)
	}
	limited, limitErr := number(limit)
	if err == nil && limitErr != nil {
		err = fmt.Errorf("%s.resources.limits.%s: %w", r.path, name, limitErr)
	}
	if err != nil && name == "memory" {
		requested, limited, err = memoryPair(r, request, limit)
	}
	if err != nil {
		return err
	}
	if requested > 0 {
		c.Set(factor, syntax.FormatFloat(limited/requested))
	}
	return nil
}

func memoryPair(r role, request, limit v1beta1.Quantity) (requested, limited float64, err error) {
	_, requestBytes, err := NormalizeMemory(string(request))
	if err != nil {
		return 0, 0, fmt.Errorf("%s.resources.requests.memory: %w", r.path, err)
	}
	_, limitBytes, err := NormalizeMemory(string(limit))
	if err != nil {
		return 0, 0, fmt.Errorf("%s.resources.limits.memory: %w", r.path, err)
	}
	return float64(requestBytes), float64(limitBytes), nil
}

// requestOrLimit returns the request, else the limit, and the name of the section it stands in.
func requestOrLimit(r role, name string) (text v1beta1.Quantity, section string) {
	if text := r.resources.Requests[name]; text != "" {
		return text, "requests"
	}
	return r.resources.Limits[name], "limits"
}

// number reads a Kubernetes quantity as the nearest floating point number.
func number(text v1beta1.Quantity) (float64, error) {
	q, err := text.Parse()
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(q.AsDec().String(), 64)
}

// NormalizeMemory reads a memory size of a spec and returns Flink's text for it and the number of bytes.
//
//	tried in this order          | examples                      | text
//	-----------------------------+-------------------------------+---------------------------
//	Flink memory size            | 2g, 2G, 2 gb, 2048m, 100      | largest whole unit: 2 gb
//	Kubernetes quantity, whole   | 2Gi, 2gib, 2048 Mi, 1e6       | number of bytes: 2147483648
func NormalizeMemory(text string) (normal string, bytes int64, err error) {
	if bytes, err := syntax.ParseMemory(text); err == nil {
		return syntax.FormatMemory(bytes), bytes, nil
	}
	cleaned := strings.ToUpper(strings.Join(strings.Fields(text), ""))
	cleaned = strings.TrimSuffix(cleaned, "B")
	if rest, binary := strings.CutSuffix(cleaned, "I"); binary {
		cleaned = rest + "i"
	}
	q, err := resource.ParseQuantity(cleaned)
	bytes, whole := q.AsInt64()
	if err != nil || !whole || bytes < 0 || strings.Contains(cleaned, ".") {
		return "", 0, fmt.Errorf(
			"memory %q cannot be read: write a whole number with a unit, such as 2048m, 2g or 2Gi", text,
		)
	}
	return strconv.FormatInt(bytes, 10), bytes, nil
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
