package scenario

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/jsonpath"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/flinksim"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// What a user does, and what a user sees.

// change is an edit of a spec.
type change func(spec map[string]any)

// application is the spec of a small job.
func application(changes ...change) map[string]any {
	spec := map[string]any{
		"image": "flink:1.20", "flinkVersion": "v1_20", "serviceAccount": "flink",
		"flinkConfiguration": map[string]any{"taskmanager.numberOfTaskSlots": "2"},
		"jobManager":         map[string]any{"resource": map[string]any{"memory": "1024m", "cpu": 0.5}},
		"taskManager":        map[string]any{"resource": map[string]any{"memory": "1024m", "cpu": 0.5}},
		"job": map[string]any{
			"jarURI": "local:///opt/flink/examples/streaming/StateMachineExample.jar", "parallelism": int64(2),
			"upgradeMode": "stateless",
		},
	}
	for _, c := range changes {
		c(spec)
	}
	return spec
}

func sessionCluster(changes ...change) map[string]any {
	return application(append([]change{func(spec map[string]any) { delete(spec, "job") }}, changes...)...)
}

func jobField(name string, value any) change {
	return func(spec map[string]any) { spec["job"].(map[string]any)[name] = value }
}

func field(name string, value any) change { return func(spec map[string]any) { spec[name] = value } }

// installs is an installation with an option that an administrator decides on. It comes before anything is applied.
func (h *harness) installs(key, value string) {
	h.t.Helper()
	h.installed.Operator = flinkconf.NewOperator(flinkconf.Config{key: value})
	h.restart()
}

func option(key, value string) change {
	return func(spec map[string]any) { spec["flinkConfiguration"].(map[string]any)[key] = value }
}

func parallelism(n int64) change     { return jobField("parallelism", n) }
func upgradeMode(mode string) change { return jobField("upgradeMode", mode) }
func jobState(state string) change   { return jobField("state", state) }

// stateful makes the job keep its state: checkpoints each ten seconds, savepoints where they can be found.
func stateful(mode string) change {
	return func(spec map[string]any) {
		upgradeMode(mode)(spec)
		option("execution.checkpointing.interval", "10 s")(spec)
		option("execution.checkpointing.dir", "s3://c")(spec)
		option("execution.checkpointing.savepoint-dir", "s3://s")(spec)
	}
}

// highlyAvailable adds Kubernetes high availability.
func highlyAvailable(spec map[string]any) {
	option("high-availability.type", "kubernetes")(spec)
	option("high-availability.storageDir", "s3://ha")(spec)
}

// withoutHighAvailability takes high availability away again.
func withoutHighAvailability(spec map[string]any) {
	configuration := spec["flinkConfiguration"].(map[string]any)
	delete(configuration, "high-availability.type")
	delete(configuration, "high-availability.storageDir")
	delete(configuration, "high-availability.zookeeper.quorum")
}

// apply makes a resource, or replaces its spec. Where the jobs of a story run on session clusters, it makes both.
func (h *harness) apply(name string, spec map[string]any) {
	h.t.Helper()
	if spec["job"] != nil && h.onSession {
		h.applyHosted(name, name, spec)
		return
	}
	if h.standalone && spec["mode"] == nil {
		spec = maps.Clone(spec)
		spec["mode"] = "standalone"
		if spec["job"] == nil { // nobody makes TaskManagers for its jobs
			tm := maps.Clone(spec["taskManager"].(map[string]any))
			tm["replicas"] = int64(5)
			spec["taskManager"] = tm
		}
	}
	h.applyTo(kubesim.FlinkDeployments, v1beta1.KindFlinkDeployment, name, spec)
}

func (h *harness) applyTo(gvr schema.GroupVersionResource, kind, name string, spec map[string]any) {
	h.t.Helper()
	if h.w.Kube.Peek(gvr, namespace, name) != nil {
		h.editOf(gvr, name, func(old map[string]any) { clear(old); maps.Copy(old, spec) })
		return
	}
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1beta1.APIVersion, "kind": kind,
		"metadata": map[string]any{"namespace": namespace, "name": name}, "spec": spec,
	}}
	if _, err := h.w.Kube.Create(gvr, u); err != nil {
		h.t.Fatal(err)
	}
}

// edit changes a spec, as kubectl edit would.
func (h *harness) edit(name string, changes ...change) {
	h.t.Helper()
	h.editOf(h.kindOf(name), plain(name), changes...)
}

func (h *harness) editOf(gvr schema.GroupVersionResource, name string, changes ...change) {
	h.t.Helper()
	store := func() {
		_, err := h.w.Kube.Update(gvr, namespace, name, func(u *unstructured.Unstructured) {
			for _, c := range changes {
				c(u.Object["spec"].(map[string]any))
			}
		})
		if err != nil {
			h.t.Fatal(err)
		}
	}
	if h.foresight != nil {
		h.foresight.edit(gvr, name, changes, store)
		return
	}
	store()
}

// remove deletes a resource, as kubectl delete --wait=false would.
func (h *harness) remove(name string) {
	h.t.Helper()
	h.removeBy(name, metav1.DeletePropagationBackground)
}

// removeBy deletes a resource as --cascade asks for.
func (h *harness) removeBy(name string, cascade metav1.DeletionPropagation) {
	h.t.Helper()
	if err := h.w.Kube.Delete(
		h.kindOf(name), namespace, plain(name), kubesim.DeleteOptions{Propagation: cascade},
	); err != nil {
		h.t.Fatal(err)
	}
}

// resource is what is stored, or nil. The caller must not write to it.
func (h *harness) resource(name string) *unstructured.Unstructured {
	return h.w.Kube.Peek(h.kindOf(name), namespace, plain(name))
}

// status is the stored status; the zero one when there is none. That of a session job is in the form of a
// FlinkDeployment's.
func (h *harness) status(name string) v1beta1.FlinkDeploymentStatus {
	h.t.Helper()
	u := h.w.Kube.Peek(h.kindOf(name), namespace, plain(name))
	if u == nil {
		return v1beta1.FlinkDeploymentStatus{}
	}
	d, err := h.decode(u)
	if err != nil {
		h.t.Fatal(err)
	}
	return d.Status
}

// decode reads a resource once for each version of it. The caller must not write to what it gets.
func (h *harness) decode(u *unstructured.Unstructured) (*v1beta1.FlinkDeployment, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if d := h.decoded[u.GetUID()]; d != nil && d.ResourceVersion == u.GetResourceVersion() {
		return d, nil
	}
	d, err := decodeAny(u)
	if err == nil {
		h.decoded[u.GetUID()] = d
	}
	return d, err
}

// settled says that the status speaks of the present spec and is in this lifecycle state.
func (h *harness) settled(name string, state v1beta1.LifecycleState) func() bool {
	return func() bool {
		u, s := h.resource(name), h.status(name)
		return u != nil && s.ObservedGeneration == u.GetGeneration() && s.LifecycleState == state
	}
}

func (h *harness) untilStable(name string) {
	h.t.Helper()
	h.until(name+" is STABLE and ready", func() bool {
		return h.settled(name, v1beta1.LifecycleStable)() && h.status(name).Situation == "Steady"
	})
}

func (h *harness) untilSuspended(name string) {
	h.t.Helper()
	h.until(name+" is SUSPENDED", h.settled(name, v1beta1.LifecycleSuspended))
}

// full leaves no object any more room than the largest of these resources has: that one is as large as etcd takes.
func (h *harness) full(names ...string) {
	h.w.Kube.ObjectLimit = 0
	for _, name := range names {
		if u := h.resource(name); u != nil {
			h.w.Kube.ObjectLimit = max(h.w.Kube.ObjectLimit, kubesim.Size(u))
		}
	}
}

func (h *harness) untilGone(name string) {
	h.t.Helper()
	h.until(name+" is gone", func() bool { return h.resource(name) == nil })
}

func (h *harness) untilSituation(name, situation string) {
	h.t.Helper()
	h.until(name+" is "+situation, func() bool { return h.status(name).Situation == situation })
}

// checkpoints lets the job complete one.
func (h *harness) checkpoints(name string) {
	h.t.Helper()
	h.until("a checkpoint of "+name, func() bool {
		j := h.job(name)
		return j != nil && j.State == job.Running && j.Latest(false) != nil
	})
}

// countedBy are those columns that a sweep counts by, beside the others: people have them in other places.
var countedBy = []string{"JobManager", "Flink", "Namespace", "Since"}

// columns are what kubectl get -o wide prints, by the installed CRD, of how a resource is. Its age is left out.
func (h *harness) columns(name string) string {
	h.t.Helper()
	u := h.resource(name)
	if u == nil {
		return "NotFound"
	}
	var cells []string
	for _, c := range printerColumns(h.kindOf(name).Resource) {
		if slices.Contains(countedBy, c.Name) || c.Type == "date" {
			continue
		}
		path := jsonpath.New(c.Name).AllowMissingKeys(true)
		if err := path.Parse("{" + c.JSONPath + "}"); err != nil {
			h.t.Fatal(err)
		}
		var cell strings.Builder
		if err := path.Execute(&cell, u.Object); err != nil {
			h.t.Fatal(err)
		}
		if cell.Len() == 0 {
			cell.WriteString("-")
		}
		cells = append(cells, cell.String())
	}
	return strings.Join(cells, " ")
}

// printerColumns are those of a kind, by its resource.
func printerColumns(resource string) []apiextensionsv1.CustomResourceColumnDefinition {
	switch resource {
	case kubesim.FlinkSessionJobs.Resource:
		return sessionJobColumns()
	case kubesim.FlinkBlueGreenDeployments.Resource:
		return pairColumns()
	}
	return deploymentColumns()
}

var (
	deploymentColumns = sync.OnceValue(columnsOf("flinkdeployments"))
	sessionJobColumns = sync.OnceValue(columnsOf("flinksessionjobs"))
	pairColumns       = sync.OnceValue(columnsOf("flinkbluegreendeployments"))
)

func columnsOf(resource string) func() []apiextensionsv1.CustomResourceColumnDefinition {
	return func() []apiextensionsv1.CustomResourceColumnDefinition {
		text, err := os.ReadFile("../../config/crds/flink.apache.org_" + resource + ".yaml")
		if err != nil {
			panic(err)
		}
		var crd apiextensionsv1.CustomResourceDefinition
		if err := yaml.Unmarshal(text, &crd); err != nil {
			panic(err)
		}
		return crd.Spec.Versions[0].AdditionalPrinterColumns
	}
}

// reasons are those of the Kubernetes Events on a resource, each once, in order.
func (h *harness) reasons(name string) string {
	seen := map[string]bool{}
	for _, u := range h.w.Kube.List(kubesim.Events, namespace, nil) {
		of, _, _ := unstructured.NestedString(u.Object, "involvedObject", "name")
		kind, _, _ := unstructured.NestedString(u.Object, "involvedObject", "kind")
		if reason, _, _ := unstructured.NestedString(u.Object, "reason"); of == plain(name) &&
			kind == kindName(h.kindOf(name)) {
			seen[reason] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(seen)), " ")
}

// starts are the begins of the job of a resource: how, and whether from a savepoint or a checkpoint.
func (h *harness) starts(name string) string {
	var all []string
	for _, s := range h.startsOf(name) {
		text := s.How
		switch {
		case strings.Contains(s.From, "/savepoint-"):
			text += "(savepoint)"
		case strings.Contains(s.From, "/chk-"):
			text += "(checkpoint)"
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// running is the state of the cluster's newest job at Flink; "-" when nobody knows one.
func (h *harness) running(name string) string {
	if j := h.job(name); j != nil {
		return string(j.State)
	}
	return "-"
}

var (
	ids      = regexp.MustCompile(`[0-9a-f]{32}`)
	uids     = regexp.MustCompile(`5ca1ab1e-0000-4000-8000-[0-9a-f]{12}`)
	times    = regexp.MustCompile(`20\d\d-\d\d-\d\dT[0-9:.]+Z`)
	saved    = regexp.MustCompile(`savepoint-[0-9a-f]{6}-([0-9a-f]{12}|\*)`)
	chk      = regexp.MustCompile(`chk-\d+`)
	volatile = []struct {
		pattern *regexp.Regexp
		word    string
	}{{saved, "<savepoint>"}, {ids, "<id>"}, {uids, "<uid>"}, {times, "<time>"}, {chk, "<checkpoint>"}}
)

func normal(text string) string {
	for _, v := range volatile {
		text = v.pattern.ReplaceAllString(text, v.word)
	}
	return text
}

// end is the state that a scenario led to, without what differs from run to run.
func (h *harness) end() string {
	h.t.Helper()
	var out strings.Builder
	for _, name := range h.resources() {
		u, s := h.resource(name), h.status(name)
		fmt.Fprintf(&out, "%s: %s | JobManager %s | %s, generation %d of %d, stable %t | pace %s | finalizers %v | "+
			"deleting %t\n",
			name, h.columns(name), s.JobManagerDeploymentStatus, s.ReconciliationStatus.State, s.ObservedGeneration,
			u.GetGeneration(),
			s.ReconciliationStatus.LastStableSpec == s.ReconciliationStatus.LastReconciledSpec, s.Pace, u.GetFinalizers(),
			u.GetDeletionTimestamp() != nil)
		fmt.Fprintf(&out, "  last %s\n  error %s\n", s.ReconciliationStatus.LastReconciledSpec, s.Error)
		if s.Intent != nil && s.Intent.Step != v1beta1.StepReleased {
			fmt.Fprintf(&out, "  intent %s %s\n", s.Intent.Purpose, s.Intent.Step)
		}
		for _, c := range s.Conditions {
			fmt.Fprintf(&out, "  %s=%s %s: %s\n", c.Type, c.Status, c.Reason, c.Message)
		}
		starts := h.starts(name)
		if h.uncounted {
			starts = "... " + starts[strings.LastIndex(starts, ", ")+1:]
		}
		fmt.Fprintf(
			&out, "  starts %s\n  Flink: %s, most JobManagers %d\n", starts, h.running(name),
			h.w.Flink.MostJobManagers(namespace, plain(name)),
		)
	}
	var objects []string
	for _, u := range h.w.Kube.List(kubesim.Deployments, "", nil) {
		replicas, _, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
		objects = append(objects, fmt.Sprintf("deployment %s replicas %d", u.GetName(), replicas))
	}
	for _, u := range h.w.Kube.List(kubesim.Services, "", nil) {
		objects = append(objects, "service "+u.GetName())
	}
	for _, u := range h.w.Kube.List(kubesim.ConfigMaps, "", nil) {
		objects = append(objects, "configmap "+u.GetName())
	}
	for _, u := range h.w.Kube.List(kubesim.Pods, "", nil) {
		phase, _, _ := unstructured.NestedString(u.Object, "status", "phase")
		objects = append(objects, "pod "+u.GetLabels()["component"]+" "+phase)
	}
	for i := range objects {
		objects[i] = normal(objects[i])
	}
	sort.Strings(objects)
	return normal(out.String()) + strings.Join(objects, "\n") + "\n"
}

// describe is for the message of a failure: where things stand and what was done last.
func (h *harness) describe() string {
	effects := h.w.Tap.Effects()
	var last []string
	for _, e := range effects[max(0, len(effects)-25):] {
		last = append(last, e.String())
	}
	return h.end() + "last effects:\n" + strings.Join(last, "\n")
}

// expect says what a user must see.
func expect[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}

// jobManagerPod is the pod of a cluster's JobManager.
func (h *harness) jobManagerPod(name string) string {
	h.t.Helper()
	pods := h.w.Kube.List(kubesim.Pods, namespace, map[string]string{"app": name, "component": "jobmanager"})
	if len(pods) == 0 {
		h.t.Fatalf("%s has no JobManager pod\n%s", name, h.describe())
	}
	return pods[0].GetName()
}

// runJar runs a job in a session cluster, as a person with flink run would, and returns its ID.
func (h *harness) runJar(name string) string {
	h.t.Helper()
	client, err := h.connect("person")(plan.Endpoint{URL: "http://" + flinksim.Host(namespace, name)})
	if err != nil {
		h.t.Fatal(err)
	}
	jar, err := client.JarUpload(h.t.Context(), "mine.jar", strings.NewReader("PK"))
	if err != nil {
		h.t.Fatal(err)
	}
	id, err := client.JarRun(h.t.Context(), jar, flinkrest.RunRequest{Parallelism: 1})
	if err != nil {
		h.t.Fatal(err)
	}
	return id
}
