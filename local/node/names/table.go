package names

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Table is from names, in lower case and without a final dot, to addresses in order.
type Table map[string][]string

// Make is the table of all Services with a selector and their pods.
//
//	pod is                                     | its address counts
//	without an address, or ended               | no
//	being deleted, or not ready                | only if the Service publishes not-ready addresses
//	ready                                      | yes
func Make(services []*corev1.Service, pods []*corev1.Pod) Table {
	table := Table{}
	for _, service := range services {
		if len(service.Spec.Selector) == 0 {
			continue
		}
		selector := labels.SelectorFromSet(service.Spec.Selector)
		for _, pod := range pods {
			if pod.Namespace == service.Namespace && selector.Matches(labels.Set(pod.Labels)) &&
				answers(pod, service.Spec.PublishNotReadyAddresses) {
				table.Add(service.Namespace, service.Name, pod.Status.PodIP)
			}
		}
	}
	return table
}

func answers(pod *corev1.Pod, notReady bool) bool {
	if pod.Status.PodIP == "" || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		return false
	}
	return notReady || pod.DeletionTimestamp == nil && ready(pod)
}

func ready(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// Add gives a Service an address, under the forms of its name that are the same in every namespace.
func (t Table) Add(namespace, name, address string) {
	short := name + "." + namespace
	for _, form := range []string{short, short + ".svc", short + ".svc.cluster.local"} {
		if !slices.Contains(t[form], address) {
			t[form] = append(t[form], address)
			slices.Sort(t[form])
		}
	}
}

// Lookup finds a name as a resolver would: letter case and a final dot make no difference. Nil if there is none.
func (t Table) Lookup(name string) []string {
	return t[strings.ToLower(strings.TrimSuffix(name, "."))]
}

// Lines is the table as lines of an /etc/hosts file, one name each.
func (t Table) Lines() string {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(t)) {
		for _, address := range t[name] {
			fmt.Fprintf(&out, "%s %s\n", address, name)
		}
	}
	return out.String()
}
