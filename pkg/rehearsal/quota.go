package rehearsal

import (
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// quota is what the API server says of a ResourceQuota that refuses.
type quota struct{ requested, used, limited corev1.ResourceList }

// quotaText is the refusal of the plug-in ResourceQuota (k8s.io/apiserver/pkg/admission/plugin/resourcequota,
// checkRequest). The names are those that are exceeded, no others.
var quotaText = regexp.MustCompile(`exceeded quota: [^ ]+, requested: ([^ ]+), used: ([^ ]+), limited: ([^ ]+)$`)

func readQuota(message string) (quota, bool) {
	found := quotaText.FindStringSubmatch(message)
	if found == nil {
		return quota{}, false
	}
	var lists [3]corev1.ResourceList
	for i, text := range found[1:] {
		lists[i] = corev1.ResourceList{}
		for pair := range strings.SplitSeq(text, ",") {
			name, value, _ := strings.Cut(pair, "=")
			amount, err := resource.ParseQuantity(value)
			if err != nil {
				return quota{}, false
			}
			lists[i][corev1.ResourceName(name)] = amount
		}
	}
	return quota{lists[0], lists[1], lists[2]}, true
}

// fits reports whether everything of the answer's kind fits into the quota once what runs is gone:
//
//	wanted + max(0, used - held by what runs) <= limited, for each name that is exceeded
//
// What is wanted of a name that cannot be derived from the objects is what the API server says for the one, times all.
func (q quota) fits(a Answer, answers []Answer, running Running) bool {
	for name, limit := range q.limited {
		one, used := q.requested[name], q.used[name]
		wanted, held, known := pods(name, a, one, answers, running)
		if a.Kind != "Pod" {
			wanted, held, known = objects(name, a, one, answers)
		}
		if !known {
			return false
		}
		left := used.DeepCopy()
		if left.Sub(held); left.Sign() < 0 {
			left = resource.Quantity{}
		}
		if wanted.Add(left); wanted.Cmp(limit) > 0 {
			return false
		}
	}
	return true
}

// objects counts those of one kind. Of a name that counts only some of them, such as services.loadbalancers, it is not
// known whether what runs has one.
func objects(
	name corev1.ResourceName, a Answer, one resource.Quantity, answers []Answer,
) (wanted, held resource.Quantity, known bool) {
	plural := strings.ToLower(a.Kind) + "s"
	if generic, _, _ := strings.Cut(strings.TrimPrefix(string(name), "count/"), "."); generic != plural ||
		strings.HasPrefix(string(name), plural+".") {
		return wanted, held, false
	}
	for _, other := range answers {
		if other.Kind != a.Kind {
			continue
		}
		if wanted.Add(one); other.Replaces {
			held.Add(one)
		}
	}
	return wanted, held, true
}

// pods adds up those that will be made and those that run.
func pods(
	name corev1.ResourceName, a Answer, one resource.Quantity, answers []Answer, running Running,
) (wanted, held resource.Quantity, known bool) {
	for _, other := range answers {
		pod := other.Pod()
		if pod == nil {
			continue
		}
		each := one
		if other.Object != a.Object {
			each, known = usage(pod, name)
			if q, is := readQuota(other.Message); is {
				if said, there := q.requested[name]; there {
					each, known = said, true
				}
			}
			if !known {
				return wanted, held, false
			}
		}
		each = each.DeepCopy()
		each.Mul(int64(other.Count))
		wanted.Add(each)
	}
	for _, pod := range running.Pods {
		each, known := usage(pod, name)
		if !known {
			return wanted, held, false
		}
		held.Add(each)
	}
	return wanted, held, true
}

// usage is what a pod takes of a resource that a quota counts; false for a name that is none of a pod's.
func usage(pod *corev1.Pod, name corev1.ResourceName) (resource.Quantity, bool) {
	limits := strings.HasPrefix(string(name), "limits.")
	of := corev1.ResourceName(strings.TrimPrefix(strings.TrimPrefix(string(name), "requests."), "limits."))
	switch {
	case name == corev1.ResourcePods || name == "count/pods":
		return *resource.NewQuantity(1, resource.DecimalSI), true
	case strings.HasPrefix(string(name), "count/") || of == name && name != corev1.ResourceCPU &&
		name != corev1.ResourceMemory && name != corev1.ResourceEphemeralStorage:
		return resource.Quantity{}, false
	}
	pick := func(r corev1.ResourceRequirements) corev1.ResourceList {
		if limits {
			return r.Limits
		}
		return r.Requests
	}
	total, first := resource.Quantity{}, resource.Quantity{}
	for i := range pod.Spec.Containers {
		total.Add(pick(pod.Spec.Containers[i].Resources)[of])
	}
	for i := range pod.Spec.InitContainers {
		c := &pod.Spec.InitContainers[i]
		each := pick(c.Resources)[of]
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			total.Add(each) // it runs beside the others
		} else if each.Cmp(first) > 0 {
			first = each
		}
	}
	if first.Cmp(total) > 0 {
		total = first.DeepCopy()
	}
	if all := pod.Spec.Resources; all != nil {
		if set, there := pick(*all)[of]; there {
			total = set.DeepCopy()
		}
	}
	total.Add(pod.Spec.Overhead[of])
	return total, true
}
