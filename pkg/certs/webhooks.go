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
	// clients are the clientConfig maps of its webhooks that call a Service. They are parts of content.
	clients []map[string]any
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
				out = append(out, configuration{object, content, serviceClients(content)})
			}
		}
	}
	return out, nil
}

// serviceClients picks the clientConfigs that name a Service. One with a url is served by somebody else.
func serviceClients(content *unstructured.Unstructured) []map[string]any {
	var out []map[string]any
	webhooks, _ := content.Object["webhooks"].([]any)
	for _, item := range webhooks {
		webhook, _ := item.(map[string]any)
		client, _ := webhook["clientConfig"].(map[string]any)
		if _, ok := client["service"].(map[string]any); ok {
			out = append(out, client)
		}
	}
	return out
}

// serverNames are the names `<service>.<namespace>.svc` by which the API server calls the webhooks, in the order found.
func serverNames(configurations []configuration) ([]string, error) {
	var out []string
	for _, c := range configurations {
		for _, client := range c.clients {
			service := client["service"].(map[string]any)
			name, _ := service["name"].(string)
			namespace, _ := service["namespace"].(string)
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
	written := 0
	for _, c := range configurations {
		changed := false
		for _, client := range c.clients {
			text, _ := client["caBundle"].(string)
			// A bundle that is not base64 trusts nobody, and is replaced like an empty one.
			old, _ := base64.StdEncoding.DecodeString(text)
			bundle := Bundle(old, authorities, r.Now())
			if !bytes.Equal(old, bundle) {
				client["caBundle"] = base64.StdEncoding.EncodeToString(bundle)
				changed = true
			}
		}
		if !changed {
			continue
		}
		_, err := r.API.MergePatch(ctx, c.object, map[string]any{
			"metadata": map[string]any{"resourceVersion": c.content.GetResourceVersion()},
			"webhooks": c.content.Object["webhooks"],
		})
		if err != nil {
			return written, fmt.Errorf("trust the new authority: %w", err)
		}
		written++
	}
	return written, nil
}
