package gitops

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cloudevents/sdk-go/v2/binding"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
	"go.uber.org/zap/zaptest"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/certs"
	"github.com/kn-flink/kn-flink/pkg/clock"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/extension"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/pass"
	"github.com/kn-flink/kn-flink/pkg/settings"
)

const (
	system = "flink-system"
	jobs   = "git-jobs"
)

// functions are what the three functions do, in this process, on the API server, with their own rights. There is no
// Flink, and no request reaches admit.
type functions struct {
	reconcile, admit, others *kube.Client
	clock                    *clock.Clock
	passes                   http.Handler
	times                    int
}

// as is a client with the name and the rights of a function; an empty name is the administrator.
func as(t *testing.T, function string) *kube.Client {
	t.Helper()
	config := rest.CopyConfig(server.config)
	if function != "" {
		config.Impersonate.UserName = "system:serviceaccount:" + system + ":" + function
		config.Impersonate.Groups = []string{"system:serviceaccounts:" + system, "system:authenticated"}
	}
	c, err := kube.ForConfig(config, function)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func newFunctions(t *testing.T) *functions {
	t.Helper()
	c := as(t, "reconcile")
	connect, err := gather.NewConnect(gather.Way{Dialer: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("there is no Flink here")
	}})
	if err != nil {
		t.Fatal(err)
	}
	return &functions{
		reconcile: c, admit: as(t, "admit"), others: as(t, ""), clock: clock.New(c, system, "flink-clock", time.Now),
		passes: pass.NewHandler(pass.Setup{
			Settings: settings.Settings{Namespace: system, Clock: "flink-clock", Operator: flinkconf.NewOperator(nil)},
			Kube:     c, Flink: connect, Now: time.Now, Log: zaptest.NewLogger(t).Sugar(),
		}),
	}
}

// write writes what the functions write in objects that Git has, each time something else where that is possible, and
// gives what it wrote.
func (f *functions) write(t *testing.T, users []*unstructured.Unstructured) map[string]string {
	t.Helper()
	f.times++
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if f.times == 1 { // what webhooks of Knative and admit fill in
		for object, patch := range map[kube.Object]map[string]any{
			{Resource: kube.PingSources, Namespace: system, Name: "flink-clock"}: {
				"spec": map[string]any{"schedule": "* * * * *"},
			},
			{Resource: v1beta1.FlinkSessionJobGVR, Namespace: jobs, Name: "etl"}: {
				"metadata": map[string]any{"labels": map[string]any{"target.session": "session"}},
			},
		} {
			_, err := f.others.MergePatch(ctx, object, patch)
			must(err)
		}
	}
	must(f.clock.Wake(ctx))
	state, err := f.clock.Read(ctx)
	must(err)
	state.Stamp = time.Time{} // as if it were old
	_, err = f.clock.Settle(ctx, state, []clock.Pace{clock.Asleep, clock.Transition}[f.times%2])
	must(err)
	// The certificate and the path are made anew.
	must(f.others.Delete(ctx, kube.Object{Resource: secrets, Namespace: system, Name: "flink-admit-tls"}, ""))
	_, err = certs.Renewer{
		API: f.admit, Namespace: system, Secret: "flink-admit-tls", Webhooks: "flink-admit", Beside: extension.Name,
		EventKey: "flink-event-key", Now: time.Now, Calls: map[string]string{
			"validationwebhook.flink.apache.org": "/validate", "mutationwebhook.flink.apache.org": "/mutate",
		},
	}.Renew(ctx)
	must(err)
	rule := flinkconf.Extension{
		Name: "rules", URL: "https://rules", Kinds: []string{"FlinkDeployment"}, Namespaces: []string{"elsewhere"},
		Timeout: time.Duration(f.times) * time.Second,
	}
	must((&extension.Webhooks{
		API: f.reconcile, Username: "system:serviceaccount:flink-system:reconcile", Now: time.Now,
	}).Keep(
		ctx, flinkconf.Extensions{Validators: []flinkconf.Extension{rule}, Mutators: []flinkconf.Extension{rule}}, nil, true,
	))
	kubectl("", "scale", "-n", jobs, "flinkdeployment/suspended", fmt.Sprintf("--replicas=%d", f.times)).must(t)
	for range 4 {
		for _, u := range users {
			must(f.pass(ctx, u))
		}
	}
	return f.written(t, users)
}

var secrets = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}

// pass makes one for a resource, as the event of a change and as a request does.
func (f *functions) pass(ctx context.Context, u *unstructured.Unstructured) error {
	if u.GroupVersionKind().Group != "flink.apache.org" {
		return nil
	}
	for _, kind := range []string{event.TypePassRequested} {
		e, err := event.Make(kind, event.Head{
			ID: fmt.Sprint(time.Now().UnixNano()), Source: "/test", Time: time.Now(), Reason: "transition",
			Key: event.Key{Kind: u.GetKind(), Namespace: u.GetNamespace(), Name: u.GetName()},
		}, nil)
		if err != nil {
			return err
		}
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", nil)
		if err := cehttp.WriteRequest(ctx, binding.ToMessage(&e), r); err != nil {
			return err
		}
		answer := httptest.NewRecorder()
		f.passes.ServeHTTP(answer, r)
		if answer.Code >= http.StatusBadRequest {
			return fmt.Errorf("a pass for %s %s: %d %s", u.GetKind(), u.GetName(), answer.Code, answer.Body)
		}
	}
	return nil
}

// written are the fields that functions have written in objects of Git, as they are now.
func (f *functions) written(t *testing.T, users []*unstructured.Unstructured) map[string]string {
	t.Helper()
	all := map[string]string{}
	note := func(gvr schema.GroupVersionResource, namespace, name string, fields ...string) {
		t.Helper()
		u, err := server.objects.Resource(gvr).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range fields {
			value, is, _ := unstructured.NestedFieldNoCopy(u.Object, strings.Split(field, " ")...)
			what := fmt.Sprintf("%s %s %s", u.GetKind(), name, field)
			if !is {
				t.Errorf("%s is not there", what)
			}
			all[what] = fmt.Sprint(value)
		}
	}
	note(kube.PingSources, system, "flink-clock", "spec schedule", "metadata annotations "+clock.AnnotationStamp)
	for _, resource := range []string{"validatingwebhookconfigurations", "mutatingwebhookconfigurations"} {
		for _, name := range []string{"flink-admit", extension.Name} {
			gvr := schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: resource}
			note(gvr, "", name, "webhooks")
		}
	}
	for _, u := range users {
		fields := []string{"status"}
		switch {
		case u.GetLabels()["flink.apache.org/canary"] != "":
			fields = []string{"spec restartNonce", "metadata annotations"}
		case u.GetKind() == "FlinkStateSnapshot":
			fields = append(fields, "metadata finalizers", "metadata labels")
		case u.GetName() == "suspended":
			fields = append(fields, "spec taskManager replicas")
		case u.GetName() == "application", u.GetName() == "session":
			fields = append(fields, "metadata finalizers")
		}
		note(resourceOf(u), u.GetNamespace(), u.GetName(), fields...)
	}
	return all
}
