package doctor

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/install"
)

// SettingsName is the ConfigMap with the settings of an operator, ours and the Java operator's.
const SettingsName = "flink-operator-config"

// IsJavaOperator is whether a Deployment is one of the Java operator, running or not.
func IsJavaOperator(u *unstructured.Unstructured) bool {
	const name = "flink-kubernetes-operator"
	if strings.Contains(u.GetLabels()["app.kubernetes.io/name"], name) {
		return true
	}
	return slices.ContainsFunc(maps(u, "spec", "template", "spec", "containers"), func(c map[string]any) bool {
		image, _ := c["image"].(string)
		return strings.Contains(image, name)
	})
}

var watchedLine = regexp.MustCompile(`(?m)^ *kubernetes\.operator\.watched\.namespaces *: *(.*)$`)

// watched are the namespaces that a list of an operator's configuration names; none means all.
func watched(list string) (names []string) {
	list = strings.NewReplacer(`"`, "", "'", "", " ", "").Replace(list)
	for _, name := range strings.Split(list, ",") {
		if name != "" && name != "JOSDK_ALL_NAMESPACES" {
			names = append(names, name)
		}
	}
	return names
}

// watchedBy are the namespaces that the settings of a namespace name; none means all.
func watchedBy(f Found, namespace string) []string {
	data, _, _ := unstructured.NestedStringMap(objectOf(f.one(Settings, namespace, SettingsName)), "data")
	var list string
	for _, value := range data {
		for _, found := range watchedLine.FindAllStringSubmatch(value, -1) {
			list = found[1]
		}
	}
	return watched(cmp.Or(list, data["kubernetes.operator.watched.namespaces"]))
}

// Java are the Deployments of the Java operator that run and watch a namespace of an installation. Two operators must
// never act on one resource. One that is scaled to zero is none.
func Java(f Found, a Asked) []*unstructured.Unstructured {
	ours := watchedBy(f, a.System)
	return f.all(Operators, func(u *unstructured.Unstructured) bool {
		replicas, there, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
		if !IsJavaOperator(u) || there && replicas == 0 {
			return false
		}
		var theirs []string
		for _, c := range maps(u, "spec", "template", "spec", "containers") {
			entries, _, _ := unstructured.NestedSlice(c, "env")
			for _, entry := range entries {
				if e, _ := entry.(map[string]any); e["name"] == "WATCH_NAMESPACES" {
					value, _ := e["value"].(string)
					theirs = append(theirs, watched(value)...)
				}
			}
		}
		if len(theirs) == 0 {
			theirs = watchedBy(f, u.GetNamespace())
		}
		return len(ours) == 0 || len(theirs) == 0 ||
			slices.ContainsFunc(ours, func(name string) bool { return slices.Contains(theirs, name) })
	})
}

// JavaWebhooks is the name of the webhook configurations of a Java operator in a namespace.
func JavaWebhooks(namespace string) string {
	return "flink-operator-" + namespace + "-webhook-configuration"
}

func judgeJavaOperator(f Found, a Asked) (lines []Line) {
	const check = "Java operator"
	for _, u := range Java(f, a) {
		lines = append(lines, line(check, Fail,
			"deployment %s/%s runs and watches the same namespaces. Stop it first:", u.GetNamespace(), u.GetName()).do(
			fmt.Sprintf("kubectl -n %s scale deployment %s --replicas=0", u.GetNamespace(), u.GetName()),
			"kubectl delete validatingwebhookconfiguration,mutatingwebhookconfiguration "+
				JavaWebhooks(u.GetNamespace())+" --ignore-not-found"))
	}
	if len(lines) == 0 {
		lines = []Line{line(check, OK, "none on the same namespaces")}
	}
	return lines
}

// scoped are the names of the namespaces that a selector selects.
func scoped(f Found, selector labels.Selector) (names []string) {
	for _, u := range f.Objects[Namespaces] {
		if selector.Matches(labels.Set(u.GetLabels())) {
			names = append(names, u.GetName())
		}
	}
	return names
}

// scopeOf is the selector of namespaces of the binding of a status policy; false where it has none that can be read.
func scopeOf(binding *unstructured.Unstructured) (labels.Selector, bool) {
	content, there, _ := unstructured.NestedMap(objectOf(binding), "spec", "matchResources", "namespaceSelector")
	if !there {
		return labels.Everything(), true
	}
	var selector metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, &selector); err != nil {
		return nil, false
	}
	made, err := metav1.LabelSelectorAsSelector(&selector)
	return made, err == nil
}

// open is whether a selector selects a namespace that is to come, whatever its labels.
func open(s labels.Selector) bool { return s.Matches(labels.Set{}) }

// ours is the scope of the installation that is judged: that of its binding, or else what is asked for.
func ours(f Found, a Asked) (labels.Selector, error) {
	if a.Scope == "" {
		if own, ok := scopeOf(f.one(Bindings, "", install.Named(a.System, statusPolicy))); ok && a.Overlay == "" {
			return own, nil
		}
	}
	return labels.Parse(a.Scope)
}

// judgeOthers judges other installations: two with a resource in both their scopes refuse each other's writes of it, so
// neither runs it. One that goes by labels of resources is left out: whether it has the same ones is not known.
func judgeOthers(f Found, a Asked) (lines []Line) {
	const check = "Installations"
	own, err := ours(f, a)
	if err != nil {
		return []Line{line(check, Fail, "the scope %q is no label selector: %v", a.Scope, err).
			do("give one, such as kubernetes.io/metadata.name=team-a")}
	}
	for _, binding := range f.Objects[Bindings] {
		name, is := strings.CutPrefix(binding.GetName(), statusPolicy)
		byLabels, _, _ := unstructured.NestedMap(binding.Object, "spec", "matchResources", "objectSelector")
		if !is || binding.GetName() == install.Named(a.System, statusPolicy) || len(byLabels) > 0 {
			continue
		}
		in := cmp.Or(strings.TrimPrefix(name, "-"), install.DefaultNamespace)
		theirs, ok := scopeOf(binding)
		if !ok {
			lines = append(lines, line(check, Warn,
				"which namespaces the installation in namespace %s watches is not known", in))
			continue
		}
		both := slices.DeleteFunc(scoped(f, theirs), func(n string) bool { return !slices.Contains(scoped(f, own), n) })
		if len(both) == 0 && !open(theirs) && !open(own) {
			lines = append(lines, line(check, OK, "that in namespace %s watches other namespaces", in))
			continue
		}
		lines = append(lines, line(check, Fail,
			"that in namespace %s watches these namespaces, too: %s. Narrow one of both: docs/install/shapes.md", in,
			cmp.Or(strings.Join(both, " "), "all that are to come")))
	}
	if len(lines) == 0 {
		lines = []Line{line(check, OK, "no other in this cluster")}
	}
	return lines
}

// notInFull says why a resource would not be run in full; empty where it is.
func notInFull(j Job) string {
	switch {
	case j.Sized && !j.Fixed && !j.Autoscaled:
		return "autoscaled by a default of the Java operator: set job.autoscaler.enabled here, too, or it keeps its size"
	case j.Kind == v1beta1.KindFlinkSessionJob && j.Jar != "" && j.Jar != "http" && j.Jar != "https":
		return "its jar is not fetched from " + j.Jar +
			": what runs keeps running; no change of it is made until jarURI is https or empty"
	}
	return ""
}

// judgeResources says what is not run, or not in full: whoever updates has read the list before.
func judgeResources(f Found, a Asked) []Line {
	var told []string
	for _, j := range f.Jobs {
		if why := notInFull(j); why != "" {
			told = append(told, fmt.Sprintf("%-24s %-40s %s", strings.ToLower(j.Kind), j.Namespace+"/"+j.Name, why))
		}
	}
	slices.Sort(told)
	const check = "Resources"
	switch {
	case len(told) == 0:
		return []Line{line(check, OK, "all are run; no job is restarted")}
	case a.GoOn || f.one(Functions, a.System, "reconcile") != nil:
		return []Line{line(check, Warn, "some are not run, or not in full:").do(told...)}
	}
	return []Line{line(check, Fail, "some would not be run, or not in full: docs/migrate/from-java.md. To go on all the "+
		"same: GO_ON=1 make deploy, or --go-on").do(told...)}
}

// judgeUnheard names the options of Java operators that have no effect here, and what to do instead.
func judgeUnheard(f Found, a Asked) (lines []Line) {
	const check = "Settings"
	for _, u := range f.all(Settings, func(u *unstructured.Unstructured) bool { return u.GetNamespace() != a.System }) {
		data, _, _ := unstructured.NestedStringMap(u.Object, "data")
		config, err := flinkconf.LoadDir(data)
		if err != nil {
			lines = append(lines, line(check, Warn, "those of %s cannot be read: %v", u.GetNamespace(), err))
			continue
		}
		if told := flinkconf.WithoutEffect(config); len(told) > 0 {
			lines = append(lines, line(check, Warn, "those of %s have options without effect here:", u.GetNamespace()).
				do(told...))
		}
		lines = append(lines, line(check, OK, "copy those of %s that differ from the defaults: docs/install/settings.md",
			u.GetNamespace()))
	}
	return judged(lines, line(check, OK, "no Java operator has any"))
}

// released are the steps of an operation that no other operator can disturb.
var released = []string{"", "Released"}

// judgeBack says whether the Java operator may take over: it knows nothing of an operation that is open.
func judgeBack(f Found, a Asked) (lines []Line) {
	const check = "Operations"
	for _, j := range f.Jobs {
		if !slices.Contains(released, j.Step) {
			lines = append(lines, line(check, Fail, "%s: an operation is open, step %s", j.Of(), j.Step).do(
				fmt.Sprintf("kn flink wait %s -n %s", j.Name, j.Namespace)))
		}
	}
	return judged(lines, line(check, OK, "none is open").do(
		"take the namespaces out of kn-flink, or: kn flink uninstall",
		"label the namespaces flink.apache.org/watched=false, so that another operator may write statuses",
		"start the Java operator: docs/migrate/from-java.md"))
}
