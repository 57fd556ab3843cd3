package edit

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// marks are the labels and annotations by which GitOps tools know what is theirs, and what their value names.
var marks = []struct{ key, owner string }{
	{"argocd.argoproj.io/tracking-id", "Argo CD application"},
	{"argocd.argoproj.io/instance", "Argo CD application"},
	{"kustomize.toolkit.fluxcd.io/name", "Flux Kustomization"},
	{"helm.toolkit.fluxcd.io/name", "Flux HelmRelease"},
	{"meta.helm.sh/release-name", "Helm release"},
}

// managers are the field managers of GitOps tools.
var managers = map[string]string{
	"argocd-controller": "Argo CD", "argocd-application-controller": "Argo CD", "kustomize-controller": "Flux",
	"helm-controller": "Flux", "helm": "Helm",
}

// Owner is the GitOps tool that a resource comes from; empty for none.
func Owner(object *unstructured.Unstructured) string {
	for _, mark := range marks {
		for _, marked := range []map[string]string{object.GetLabels(), object.GetAnnotations()} {
			if value := marked[mark.key]; value != "" {
				value, _, _ = strings.Cut(value, ":") // a tracking ID names the object, too
				return mark.owner + " " + value
			}
		}
	}
	for _, fields := range object.GetManagedFields() {
		if owner := managers[fields.Manager]; owner != "" && fields.Subresource == "" {
			return owner
		}
	}
	return ""
}

// Commit is the change as part of the manifest, for whoever commits it.
func (e Edit) Commit(object *unstructured.Unstructured) (string, error) {
	if e.Deletes {
		return fmt.Sprintf("# %s %s/%s: take its manifest out\n", object.GetKind(), object.GetNamespace(),
			object.GetName()), nil
	}
	text, err := yaml.Marshal(e.Patch)
	if err != nil {
		return "", fmt.Errorf("write the change as YAML: %w", err)
	}
	if e.Hide != nil {
		text = []byte(e.Hide(string(text)))
	}
	return fmt.Sprintf("# %s %s/%s: %s\n%s", object.GetKind(), object.GetNamespace(), object.GetName(), e.Says, text), nil
}
