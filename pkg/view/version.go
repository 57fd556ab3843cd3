package view

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Versions are those of the plugin and of what is installed.
type Versions struct {
	metav1.TypeMeta `json:",inline"`
	// Plugin is that of the plugin.
	Plugin string `json:"plugin"`
	// Functions are those of the functions, by name; empty where none is installed, or none may be read.
	Functions map[string]string `json:"functions,omitempty"`
	// Kinds says whose definitions of the kinds are installed; empty where that may not be read.
	Kinds string `json:"kinds,omitempty"`
	// Notes say what does not fit together.
	Notes []string `json:"notes,omitempty"`
	// Unreadable says what could not be read.
	Unreadable []string `json:"unreadable,omitempty"`
}

// VersionLabel has the version of a part of an installation.
const VersionLabel = "app.kubernetes.io/version"

// VersionsOf are the versions of a plugin, of the Knative Services of an installation, and of the definition of
// FlinkDeployment; nil for one that is not there or was not read.
func VersionsOf(plugin string, functions []*unstructured.Unstructured, definition *unstructured.Unstructured) Versions {
	v := Versions{
		TypeMeta: metav1.TypeMeta{APIVersion: Version, Kind: "Versions"}, Plugin: plugin, Functions: map[string]string{},
	}
	told := map[string]bool{}
	for _, f := range functions {
		version := f.GetLabels()[VersionLabel]
		v.Functions[f.GetName()] = version
		if minor(version) != minor(plugin) && !told[version] {
			told[version] = true
			v.Notes = append(v.Notes, fmt.Sprintf("the functions are of %s, the plugin is of %s: what one does not know "+
				"of the other is shown as it is", dash(version), plugin))
		}
	}
	if definition != nil {
		v.Kinds = "of the Java operator"
		if hasPace(definition) {
			v.Kinds = "of kn-flink"
		}
	}
	return v
}

// hasPace is whether a definition has the field by which sweeps select, which only ours has.
func hasPace(definition *unstructured.Unstructured) bool {
	versions, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
	for _, version := range versions {
		content, _ := version.(map[string]any)
		fields, _, _ := unstructured.NestedSlice(content, "selectableFields")
		for _, field := range fields {
			if f, _ := field.(map[string]any); f["jsonPath"] == ".status.pace" {
				return true
			}
		}
	}
	return false
}

// minor is a version without its last number.
func minor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// Text are the versions for a terminal.
func (v Versions) Text() string {
	var functions []string
	for _, name := range sorted(v.Functions) {
		functions = append(functions, name+" "+dash(v.Functions[name]))
	}
	var l labelled
	l.add("Plugin", v.Plugin)
	l.add("Functions", strings.Join(functions, ", "))
	l.add("Kinds", v.Kinds)
	l.add("Notes", v.Notes...)
	l.add("Unreadable", v.Unreadable...)
	return l.out.String()
}
