package doctor

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// Of is its kind, namespace and name in one text.
func (j Job) Of() string { return strings.ToLower(j.Kind) + " " + j.Namespace + "/" + j.Name }

const overrides = "pipeline.jobvertex-parallelism-overrides"

var scheme = regexp.MustCompile(`^([a-z0-9]+):`)

// JobOf is what is judged of the content of a resource.
func JobOf(content map[string]any) Job {
	u := &unstructured.Unstructured{Object: content}
	j := Job{Kind: u.GetKind(), Namespace: u.GetNamespace(), Name: u.GetName(), Account: text(u, "spec", "serviceAccount")}
	j.Canary = v1beta1.IsCanary(u.GetLabels())
	configuration, _, _ := unstructured.NestedMap(content, "spec", "flinkConfiguration")
	for key, value := range flat("", configuration) {
		j.Options = append(j.Options, key)
		j.Autoscaled = j.Autoscaled || strings.HasSuffix(key, "job.autoscaler.enabled") && value == "true"
		j.Fixed = j.Fixed || key == overrides
	}
	j.Sized = strings.Contains(text(u, "status", "reconciliationStatus", "lastReconciledSpec"), overrides)
	if found := scheme.FindStringSubmatch(text(u, "spec", "job", "jarURI")); found != nil {
		j.Jar = found[1]
	}
	if status, reason, _ := condition(u, summary.Stalled); status == "True" {
		j.Stalled = reason
	}
	j.Step = text(u, "status", "intent", "step")
	seen, there, _ := unstructured.NestedInt64(content, "status", "observedGeneration")
	if there && seen < u.GetGeneration() {
		j.Unseen = written(u)
	}
	return j
}

// written is when the spec of a resource was written last: the newest time of a manager of its main part.
func written(u *unstructured.Unstructured) time.Time {
	newest := u.GetCreationTimestamp().Time
	for _, m := range u.GetManagedFields() {
		if m.Subresource == "" && m.Time != nil && m.Time.After(newest) {
			newest = m.Time.Time
		}
	}
	return newest
}

// flat are options with whole keys, which a spec may write nested.
func flat(prefix string, options map[string]any) map[string]string {
	all := map[string]string{}
	for key, value := range options {
		if nested, is := value.(map[string]any); is {
			for k, v := range flat(prefix+key+".", nested) {
				all[k] = v
			}
			continue
		}
		all[prefix+key] = fmt.Sprint(value)
	}
	return all
}
