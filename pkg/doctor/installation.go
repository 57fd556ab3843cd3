package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/kinds"
)

// again is the repair of what an installation lacks.
const again = "apply all of its version again: kn flink install, helm upgrade or make deploy"

// NotReady says of an object of Knative why it is not Ready; empty where it is.
func NotReady(u *unstructured.Unstructured) string {
	status, reason, message := condition(u, "Ready")
	switch seen, there, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration"); {
	case status == "":
		return "Knative has not observed it"
	case there && seen != u.GetGeneration():
		return "Knative has not observed its newest version"
	case status != "True":
		return strings.TrimSuffix(reason+": "+message, ": ")
	}
	return ""
}

// parts are the failures of the parts of a source: those that are missing, and those that are not Ready.
func parts(f Found, a Asked, check string, s Source, kn string) (lines []Line) {
	for _, name := range missing(f, a, s) {
		lines = append(lines, line(check, Fail, "%s is missing", name).do(again))
	}
	for _, p := range inventory {
		u := f.one(s, a.System, p.name)
		if p.source != s || u == nil {
			continue
		}
		if why := NotReady(u); why != "" {
			lines = append(lines, line(check, Fail, "%s: %s", p.name, why).do(
				fmt.Sprintf("%s %s -n %s", kn, p.name, a.System),
				"docs/troubleshoot/operator.md says what each part does"))
		}
	}
	return lines
}

func judgeInstallation(f Found, a Asked) []Line {
	if isInstalled(f) {
		return []Line{line("Installation", OK, "in namespace %s", a.System)}
	}
	return []Line{line("Installation", Fail, "there is none in namespace %s", a.System).do(
		"kn flink install, or helm install, or make deploy: docs/install/requirements.md",
		"one in another namespace: --system-namespace")}
}

func judgeInstalledKinds(f Found, _ Asked) (lines []Line) {
	const check = "Kinds"
	for _, k := range kinds.All {
		name, u := k.Resource.Resource, f.one(Definitions, "", DefinitionOf(k))
		status, _, message := condition(u, "Established")
		stored, _, _ := unstructured.NestedStringSlice(objectOf(u), "status", "storedVersions")
		switch {
		case u == nil:
			lines = append(lines, line(check, Fail, "the cluster has no %s", name).do(
				"kn flink install --crds-only, or kubectl apply --server-side -f crds.yaml of the release"))
		case pace(u) == "":
			lines = append(lines, line(check, Fail, "%s is of the Java operator or of an older version: no sweep finds its "+
				"resources", name).do(
				"kn flink install --crds-only, or kubectl apply --server-side --force-conflicts -f crds.yaml of the release"))
		case status != "True":
			lines = append(lines, line(check, Fail, "the API server does not take %s: %s", name, message).do(
				"kubectl describe crd "+u.GetName()))
		case !slices.Equal(stored, []string{k.Resource.Version}):
			lines = append(lines, oldStored(check, stored, k.Resource.Version))
		}
	}
	return judged(lines, line(check, OK, "%d of %d", len(kinds.All), len(kinds.All)))
}

// versionLabel has the version of a function; unreleased is that of a function which a checkout has built.
const (
	versionLabel = "app.kubernetes.io/version"
	unreleased   = "devel"
)

func judgeFunctions(f Found, a Asked) []Line {
	const check = "Functions"
	lines := parts(f, a, check, Functions, "kn service describe")
	of := map[string][]string{}
	for _, u := range f.Objects[Functions] {
		version := u.GetLabels()[versionLabel]
		of[version] = append(of[version], u.GetName())
	}
	var told, names []string
	for version, named := range of {
		slices.Sort(named)
		told = append(told, strings.Join(named, ", ")+" "+version)
		names = append(names, version)
	}
	slices.Sort(told)
	all := strings.Join(told, "; ")
	switch {
	case len(of) > 1:
		lines = append(lines, line(check, Fail, "they are of different versions: %s", all).do(again))
	case len(names) == 1 && names[0] != unreleased && a.Version != "" && minor(names[0]) != minor(a.Version):
		lines = append(lines, line(check, Warn, "%s, and this plugin is of %s", all, a.Version).do(
			"use the plugin of the version that is installed"))
	}
	return judged(lines, line(check, OK, "%s", all))
}

// minor is a version without its last number.
func minor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

func judgeBrokers(f Found, a Asked) []Line {
	lines := parts(f, a, "Brokers", Brokers, "kn broker describe")
	return judged(lines, line("Brokers", OK, "flink-control, flink-events"))
}

func judgeTriggers(f Found, a Asked) []Line {
	const check = "Triggers"
	lines := parts(f, a, check, Triggers, "kn trigger describe")
	for _, name := range pushed {
		u := f.one(Triggers, a.System, name)
		if u == nil {
			continue
		}
		broker, to := text(u, "spec", "broker"), text(u, "spec", "subscriber", "ref", "name")
		if broker != "flink-control" || to != name {
			lines = append(lines, line(check, Fail, "%s leads from Broker %s to %s", name, broker, to).do(again))
		}
	}
	return judged(lines, line(check, OK, "%s", strings.Join(pushed, ", ")))
}

func judgeSource(f Found, a Asked) []Line {
	const check = "Source"
	lines := parts(f, a, check, Sources, "kn source apiserver describe")
	u := f.one(Sources, a.System, "flink")
	for _, k := range kinds.All {
		has := func(r map[string]any) bool { return r["kind"] == k.Name }
		if u != nil && !slices.ContainsFunc(maps(u, "spec", "resources"), has) {
			lines = append(lines, line(check, Fail, "flink does not watch %s: a change of one waits for the clock", k.Name).
				do(again))
		}
	}
	return judged(lines, line(check, OK, "flink → flink-control"))
}

func judgeClock(f Found, a Asked) []Line {
	lines := parts(f, a, "Clock", Clocks, "kn source ping describe")
	schedule := text(f.one(Clocks, a.System, "flink-clock"), "spec", "schedule")
	return judged(lines, line("Clock", OK, "flink-clock → flink-control, schedule %q", schedule))
}

func judgeRoles(f Found, a Asked) []Line {
	lines := []Line{}
	of := []Source{Accounts, Roles, RoleBindings, ClusterRoles, ClusterRoleBindings}
	if names := missing(f, a, of...); len(names) > 0 {
		lines = append(lines, line("Roles", Fail, "missing: %s. The functions lack their rights", strings.Join(names, ", ")).
			do(again, "docs/reference/rights.md says what each is for"))
	}
	return judged(lines, line("Roles", OK, "accounts, roles and bindings of the functions are there"))
}

func judgePolicies(f Found, a Asked) []Line {
	lines := []Line{}
	if names := missing(f, a, Policies, Bindings); len(names) > 0 {
		lines = append(lines, line("Policies", Fail, "missing: %s. What they hold is not held", strings.Join(names, ", ")).
			do(again))
	}
	return judged(lines, line("Policies", OK, "%d policies are bound", len(policies)))
}

// stuck are the reasons of a container that does not start by itself.
var stuck = []string{
	"CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull", "InvalidImageName", "CreateContainerConfigError",
}

func judgePods(f Found, a Asked) (lines []Line) {
	const check = "Pods"
	running := 0
	for _, u := range f.Objects[Pods] {
		if text(u, "status", "phase") == "Running" {
			running++
		}
		why := ""
		for _, field := range []string{"initContainerStatuses", "containerStatuses"} {
			for _, c := range maps(u, "status", field) {
				reason, _, _ := unstructured.NestedString(c, "state", "waiting", "reason")
				if slices.Contains(stuck, reason) {
					why = fmt.Sprintf("container %v: %s", c["name"], reason)
				}
			}
		}
		if status, reason, message := condition(u, "PodScheduled"); status == "False" {
			why = reason + ": " + message
		}
		if why != "" {
			lines = append(lines, line(check, Fail, "%s does not run: %s", u.GetName(), why).do(
				fmt.Sprintf("kubectl -n %s describe pod %s", a.System, u.GetName())))
		}
	}
	return judged(lines, line(check, OK, "%d run; functions at rest have none", running))
}

// overdue is how long an edit may wait until a function looks at it. The clock turns every 5 minutes at the least.
const overdue = 6 * time.Minute

func judgeUnseen(f Found, _ Asked) (lines []Line) {
	const check = "Resources"
	stalled := 0
	for _, j := range f.Jobs {
		if j.Stalled != "" {
			stalled++
		}
		if !j.Unseen.IsZero() && f.Now.Sub(j.Unseen) > overdue {
			lines = append(lines, line(check, Fail, "%s was changed at %s, and no function has observed it since", j.Of(),
				j.Unseen.UTC().Format(time.RFC3339)).do(
				"kn flink doctor --probe says which part is dead: docs/troubleshoot/operator.md"))
		}
	}
	well := line(check, OK, "%d, each observed", len(f.Jobs))
	if stalled > 0 {
		well = line(check, Warn, "%d, each observed; %d wait for a user", len(f.Jobs), stalled).do(
			"kn flink list -A --stalled")
	}
	return judged(lines, well)
}

// judgeTenants judges the namespaces in which jobs are: whether their service accounts are there.
func judgeTenants(f Found, _ Asked) (lines []Line) {
	const check = "Tenants"
	told, namespaces := map[string]bool{}, map[string]bool{}
	for _, j := range f.Jobs {
		namespaces[j.Namespace] = true
		if key := j.Namespace + "/" + j.Account; j.Account != "" && !j.Canary && !told[key] &&
			f.one(Accounts, j.Namespace, j.Account) == nil {
			told[key] = true
			lines = append(lines, line(check, Warn, "jobs in %s have no service account %s", j.Namespace, j.Account).do(
				"kn flink tenant "+j.Namespace+", or make tenant NS="+j.Namespace))
		}
	}
	return judged(lines, line(check, OK, "%d namespaces have jobs and what they need", len(namespaces)))
}

// judgeSettings judges whether the newest settings are in force.
func judgeSettings(f Found, a Asked) []Line {
	newest, at := (*unstructured.Unstructured)(nil), ""
	for _, e := range f.Objects[Told] {
		time := text(e, "lastTimestamp")
		if time == "" {
			time = text(e, "eventTime")
		}
		if time >= at {
			newest, at = e, time
		}
	}
	if text(newest, "type") == "Warning" {
		return []Line{line("Settings", Fail, "%s: %s", text(newest, "reason"), text(newest, "message")).do(
			fmt.Sprintf("kubectl -n %s edit configmap %s", a.System, SettingsName))}
	}
	return []Line{line("Settings", OK, "none was refused")}
}
