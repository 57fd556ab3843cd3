package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	plain "sigs.k8s.io/yaml"
)

// marks are the places of an object where a value of the chart goes. In the object stands a mark, in the template what
// the mark is for.
type marks struct{ texts []string }

// put is the mark of an expression that stands for a whole value, printed as JSON or text.
func (m *marks) put(expression string) string {
	m.texts = append(m.texts, expression)
	return fmt.Sprintf("zzmark%03dz", len(m.texts)-1)
}

// optional adds a field that is there only if the value is set.
func (m *marks) optional(in map[string]any, field, value string) {
	in[m.put(fmt.Sprintf("%s|%s", field, value))] = "optional"
}

var (
	optionalLine = regexp.MustCompile(`(?m)^( *)zzmark(\d{3})z: optional$`)
	valueMark    = regexp.MustCompile(`zzmark(\d{3})z`)
)

// print is the template of an object.
func (m *marks) print(object map[string]any) (string, error) {
	text, err := plain.Marshal(object)
	if err != nil {
		return "", err
	}
	escaped := strings.NewReplacer("{{", `{{ "{{" }}`, "}}", `{{ "}}" }}`).Replace(string(text))
	escaped = optionalLine.ReplaceAllStringFunc(escaped, func(line string) string {
		parts := optionalLine.FindStringSubmatch(line)
		field, value, _ := strings.Cut(m.at(parts[2]), "|")
		return fmt.Sprintf("{{- with %s }}\n%s%s: {{ toJson . }}\n{{- end }}", value, parts[1], field)
	})
	return valueMark.ReplaceAllStringFunc(escaped, func(mark string) string {
		return "{{ " + m.at(valueMark.FindStringSubmatch(mark)[1]) + " }}"
	}), nil
}

func (m *marks) at(number string) string {
	var n int
	_, _ = fmt.Sscanf(number, "%d", &n) // three digits
	return m.texts[n]
}

// templateOf is the template of one object; empty for those that are made otherwise.
//
//	object                                      in the chart
//	Namespace                                   Helm makes it: --create-namespace
//	the settings                                templates/100-settings.yaml
//	ConfigMap config-observability              where metrics go
//	Service of Knative, Job, CronJob            image, pull secrets, and what operatorPod says of pods
//	ServiceAccount                              annotations
//	ValidatingAdmissionPolicy                   the service account of jobs
//	binding of a function, for resources        with watchNamespaces: in each of them
//	source, webhooks of admit                   with watchNamespaces: of those alone
//	Job                                         a hook: its template cannot be changed
func templateOf(object map[string]any) (string, error) {
	m := &marks{}
	metadata := object["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	switch kind := object["kind"].(string); kind {
	case "Namespace":
		return "", nil
	case "ConfigMap":
		if strings.HasPrefix(name, "flink-operator-") {
			return "", nil
		}
		if name == "config-observability" {
			const endpoint = ".Values.monitoring.metricsEndpoint"
			m.optional(object["data"].(map[string]any), "metrics-endpoint", endpoint)
			m.optional(object["data"].(map[string]any), "metrics-protocol", "(and "+endpoint+` "http/protobuf")`)
		}
	case "ServiceAccount":
		m.optional(metadata, "annotations", ".Values.operatorServiceAccount.annotations")
	case "Service":
		if spec, _ := object["spec"].(map[string]any); spec["template"] != nil {
			m.pod(spec["template"].(map[string]any), true)
		}
	case "Job":
		metadata["annotations"] = map[string]any{
			"helm.sh/hook": "post-install,post-upgrade", "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded",
		}
		m.pod(object["spec"].(map[string]any)["template"].(map[string]any), false)
	case "CronJob":
		job := object["spec"].(map[string]any)["jobTemplate"].(map[string]any)
		m.pod(job["spec"].(map[string]any)["template"].(map[string]any), false)
	case "ApiServerSource":
		object["spec"].(map[string]any)["namespaceSelector"] = m.put(`include "kn-flink.namespaceSelector" .`)
	case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
		if name == "flink-admit" {
			for _, w := range object["webhooks"].([]any) {
				m.optional(w.(map[string]any), "namespaceSelector", `(include "kn-flink.namespaceSelector" . | fromJson)`)
			}
		}
	case "ClusterRoleBinding":
		if slices.Contains([]string{"kn-flink-reconcile", "kn-flink-observe", "kn-flink-source", "kn-flink-specs"}, name) {
			return perNamespace(object)
		}
	case "ValidatingAdmissionPolicy":
		m.accounts(object)
	}
	return m.print(object)
}

// pod puts what the values say of pods into a pod template.
func (m *marks) pod(template map[string]any, service bool) {
	spec := template["spec"].(map[string]any)
	container := spec["containers"].([]any)[0].(map[string]any)
	function := image.FindStringSubmatch(container["image"].(string))[1]
	container["image"] = m.put(fmt.Sprintf(`include "kn-flink.image" (list . %q)`, function))
	m.optional(container, "imagePullPolicy", ".Values.image.pullPolicy")
	m.optional(spec, "imagePullSecrets", ".Values.imagePullSecrets")
	for _, field := range []string{"nodeSelector", "tolerations", "affinity", "priorityClassName"} {
		m.optional(spec, field, ".Values.operatorPod."+field)
	}
	if service {
		shipped := container["resources"].(map[string]any)
		container["resources"] = m.put(
			fmt.Sprintf(`.Values.operatorPod.resources | default (%s | fromJson) | toJson`, quoted(shipped)),
		)
	}
}

// accounts puts the name of the jobs' service account into the policy that lets every user have it.
func (m *marks) accounts(policy map[string]any) {
	variables, _ := policy["spec"].(map[string]any)["variables"].([]any)
	for _, v := range variables {
		if variable := v.(map[string]any); variable["name"] == "accounts" {
			variable["expression"] = m.put(`include "kn-flink.accounts" . | toJson`)
		}
	}
}

// perNamespace is a binding that is one for the cluster, or one for each watched namespace.
func perNamespace(object map[string]any) (string, error) {
	m := &marks{}
	whole, err := m.print(object)
	if err != nil {
		return "", err
	}
	narrow := maps.Clone(object)
	narrow["kind"] = "RoleBinding"
	metadata := maps.Clone(object["metadata"].(map[string]any))
	metadata["namespace"] = m.put("$namespace | quote")
	narrow["metadata"] = metadata
	each, err := m.print(narrow)
	if err != nil {
		return "", err
	}
	return "{{- if .Values.watchNamespaces }}\n{{- range $namespace := .Values.watchNamespaces }}\n---\n" + each +
		"{{- end }}\n{{- else }}\n---\n" + whole + "{{- end }}\n", nil
}

// quoted is JSON as a literal of a template.
func quoted(value any) string {
	text, _ := plain.Marshal(value) // it was read from YAML
	json, _ := plain.YAMLToJSON(text)
	return "`" + string(json) + "`"
}
