package podtemplate

import "github.com/kn-flink/kn-flink/pkg/flinkconf/yamltext"

// FileName is the key of the TaskManager template in its ConfigMap and the name of the file that a JobManager looks for
// in /opt/flink/pod-template when it starts (Flink: Constants.TASK_MANAGER_POD_TEMPLATE_FILE_NAME).
const FileName = "taskmanager-pod-template.yaml"

// Print gives the text of the template, without lists that hold nothing. Nil gives the empty text.
//
// The text has neither apiVersion nor kind: the client of every Flink release from 1.15.0 to 2.2.0 was seen to load it
// so (KubernetesUtils.loadPodFromTemplateFile).
func Print(tree Tree) (string, error) {
	if tree == nil {
		return "", nil
	}
	text, err := yamltext.Print(withoutEmptyLists(map[string]any(tree)))
	return "---\n" + text, err
}

// withoutEmptyLists drops the lists that hold nothing: the reference does not write them.
func withoutEmptyLists(value any) any {
	switch v := value.(type) {
	case map[string]any:
		kept := make(map[string]any, len(v))
		for key, element := range v {
			if list, ok := element.([]any); ok && len(list) == 0 {
				continue
			}
			kept[key] = withoutEmptyLists(element)
		}
		return kept
	case []any:
		kept := make([]any, len(v))
		for i, element := range v {
			kept[i] = withoutEmptyLists(element)
		}
		return kept
	default:
		return v
	}
}
