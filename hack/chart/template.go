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

// outside are the names of objects that are not in the namespace of the installation, or lead to such: they end in that
// namespace where it is not flink-system. hack/lib.sh (named) has the same.
var outside = regexp.MustCompile(`kn-flink(?:-[a-z]+)+|flink-(?:admit|extensions)\b`)

// longer is what follows a name of outside that is only the beginning of another one.
var longer = regexp.MustCompile(`^[-a-z]`)

// installed puts the installation into the text of a template: its namespace, and the names of what is outside of it.
func installed(text string) string {
	var out strings.Builder
	for {
		at := outside.FindStringIndex(text)
		if at == nil {
			break
		}
		out.WriteString(text[:at[1]])
		if text = text[at[1]:]; !longer.MatchString(text) {
			out.WriteString(`{{ include "kn-flink.suffix" $ }}`)
		}
	}
	return strings.ReplaceAll(out.String()+text, "flink-system", "{{ $.Release.Namespace }}")
}

// print is the template of an object.
func (m *marks) print(object map[string]any) (string, error) {
	metadata := object["metadata"].(map[string]any)
	if labels, _ := metadata["labels"].(map[string]any); labels != nil {
		labels = maps.Clone(labels)
		m.optional(labels, "app.kubernetes.io/instance", `(include "kn-flink.instance" $)`)
		metadata = maps.Clone(metadata)
		metadata["labels"] = labels
	}
	object = maps.Clone(object)
	object["metadata"] = metadata
	text, err := plain.Marshal(object)
	if err != nil {
		return "", err
	}
	escaped := installed(strings.NewReplacer("{{", `{{ "{{" }}`, "}}", `{{ "}}" }}`).Replace(string(text)))
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
//	Service beside the gateway                  the gateway of Knative's ingress
//	Service of Knative, Job, CronJob            image, pull secrets, and what operatorPod says of pods
//	ServiceAccount                              annotations
//	ValidatingAdmissionPolicy                   the service account of jobs
//	binding of a function, for resources        with watchNamespaces: in each of them
//	source, webhooks, policies of our kinds     of the scope alone
//	ClusterRoles of jobs and users              each installation has its own
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
		} else {
			spec["selector"] = m.put(`(include "kn-flink.gateway" $ | fromJson).selector | toJson`)
			port := spec["ports"].([]any)[0].(map[string]any)
			port["targetPort"] = m.put(`(include "kn-flink.gateway" $ | fromJson).port`)
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
		spec := object["spec"].(map[string]any)
		spec["namespaceSelector"] = m.put(`include "kn-flink.namespaceSelector" .`)
		for _, r := range spec["resources"].([]any) {
			if resource := r.(map[string]any); resource["selector"] == nil { // it is one of our kinds
				m.optional(resource, "selector", ".Values.watchLabelSelector")
			}
		}
	case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
		if name == "flink-admit" {
			for _, w := range object["webhooks"].([]any) {
				m.optional(w.(map[string]any), "namespaceSelector", `(include "kn-flink.namespaceSelector" $ | fromJson)`)
				m.optional(w.(map[string]any), "objectSelector", ".Values.watchLabelSelector")
			}
		}
	case "ClusterRoleBinding":
		if slices.Contains([]string{"kn-flink-reconcile", "kn-flink-observe", "kn-flink-source", "kn-flink-specs"}, name) {
			return perNamespace(object)
		}
	case "ValidatingAdmissionPolicy":
		m.accounts(object)
	case "ValidatingAdmissionPolicyBinding":
		if slices.Contains([]string{"kn-flink-specs", "kn-flink-rights", "kn-flink-status"}, name) {
			spec := object["spec"].(map[string]any)
			if spec["matchResources"] != nil {
				spec["matchResources"] = m.put(`include "kn-flink.matchResources" (list $ true)`)
			} else {
				m.optional(spec, "matchResources", `(include "kn-flink.matchResources" (list $ false) | fromJson)`)
			}
		}
	case "ClusterRole":
		if metadata["labels"].(map[string]any)["app.kubernetes.io/component"] == "tenant" {
			metadata["name"] = name + m.put(`include "kn-flink.suffix" $`)
		}
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
