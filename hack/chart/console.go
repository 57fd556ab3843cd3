package main

import (
	"path/filepath"
	"strings"
)

// console adds the objects of config/console, which a value switches on.
func (s *source) console(files map[string]string) error {
	text, err := s.template(filepath.Join(s.root, "config", "console", "console.yaml"))
	text = strings.Replace(text, "- name: CONSOLE_ACTIONS\n          value: \"false\"",
		"- name: CONSOLE_ACTIONS\n          value: {{ .Values.console.actions | quote }}", 1)
	files["templates/920-console.yaml"] = "{{- if .Values.console.enabled }}\n" + text + "{{- end }}\n"
	return err
}
