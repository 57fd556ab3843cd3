package certs

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/pkg/kube"
)

// The two kinds of webhook configuration. They are read and written as plain maps, so that a field this build does not
// know is never lost.
var configurationResources = []schema.GroupVersionResource{
	{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "mutatingwebhookconfigurations"},
	{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations"},
}

// configuration is a webhook configuration as it was read.
type configuration struct {
	object  kube.Object
	content *unstructured.Unstructured
	// calls are those of its webhooks that call a Service. They are parts of content.
	calls []call
}

// call is how a webhook calls a Service.
type call struct {
	// webhook is the webhook's name.
	webhook string
	// client is its clientConfig, service that part of it.
	client, service map[string]any
}

// configurations reads those that exist, in a fixed order.
func (r Renewer) configurations(ctx context.Context) ([]configuration, error) {
	var out []configuration
	for _, name := range []string{r.Webhooks, r.Beside} {
		for _, resource := range configurationResources {
			if name == "" {
				continue
			}
			object := kube.Object{Resource: resource, Name: name}
			content, found, err := r.API.Get(ctx, object)
			if err != nil {
				return nil, err
			}
			if found {
				out = append(out, configuration{object, content, serviceCalls(content)})
			}
		}
	}
	return out, nil
}

// serviceCalls picks the webhooks that name a Service. One with a url is served by somebody else.
func serviceCalls(content *unstructured.Unstructured) []call {
	var out []call
	webhooks, _ := content.Object["webhooks"].([]any)
	for _, item := range webhooks {
		webhook, _ := item.(map[string]any)
		name, _ := webhook["name"].(string)
		client, _ := webhook["clientConfig"].(map[string]any)
		if service, ok := client["service"].(map[string]any); ok {
			out = append(out, call{name, client, service})
		}
	}
	return out
}

// serverNames are the names `<service>.<namespace>.svc` by which the API server calls the webhooks, in the order found.
func serverNames(configurations []configuration) ([]string, error) {
	var out []string
	for _, c := range configurations {
		for _, call := range c.calls {
			name, _ := call.service["name"].(string)
			namespace, _ := call.service["namespace"].(string)
			if host := name + "." + namespace + ".svc"; !slices.Contains(out, host) {
				out = append(out, host)
			}
		}
	}
	if len(out) == 0 {
		return nil, errors.New("none of them calls a Service; apply the admission manifests first")
	}
	return out, nil
}

// trust makes every configuration trust the given authorities and returns how many had to be written.
func (r Renewer) trust(ctx context.Context, configurations []configuration, authorities [][]byte) (int, error) {
	return r.write(ctx, configurations, func(c call) bool {
		text, _ := c.client["caBundle"].(string)
		// A bundle that is not base64 trusts nobody, and is replaced like an empty one.
		old, _ := base64.StdEncoding.DecodeString(text)
		bundle := Bundle(old, authorities, r.Now())
		if bytes.Equal(old, bundle) {
			return false
		}
		c.client["caBundle"] = base64.StdEncoding.EncodeToString(bundle)
		return true
	})
}

// called reports whether no webhook calls another path than the token's.
func (r Renewer) called(configurations []configuration, token string) bool {
	for _, c := range configurations {
		for _, call := range c.calls {
			if first, ok := r.Calls[call.webhook]; ok && call.service["path"] != first+"/"+token {
				return false
			}
		}
	}
	return true
}

// point makes every configuration call the paths that end in the token. A webhook that Calls does not name is left.
func (r Renewer) point(ctx context.Context, configurations []configuration, token string) (int, error) {
	return r.write(ctx, configurations, func(c call) bool {
		first, ok := r.Calls[c.webhook]
		if want := first + "/" + token; ok && c.service["path"] != want {
			c.service["path"] = want
			return true
		}
		return false
	})
}

// write lets change change each call, and writes the configurations in which it changed one.
func (r Renewer) write(ctx context.Context, configurations []configuration, change func(call) bool) (int, error) {
	written := 0
	for i, c := range configurations {
		changed := false
		for _, call := range c.calls {
			changed = change(call) || changed
		}
		if !changed {
			continue
		}
		stored, err := r.API.MergePatch(ctx, c.object, map[string]any{
			"metadata": map[string]any{"resourceVersion": c.content.GetResourceVersion()},
			"webhooks": c.content.Object["webhooks"],
		})
		if err != nil {
			return written, fmt.Errorf("write %s: %w", c.object, err)
		}
		configurations[i] = configuration{c.object, stored, serviceCalls(stored)}
		written++
	}
	return written, nil
}
