package main

import "path/filepath"

// egress adds the policy of config/overlays/egress, whose ports are a value.
func (s *source) egress(files map[string]string) error {
	policies, err := objects(filepath.Join(s.root, "config", "overlays", "egress", "network.yaml"))
	if err != nil {
		return err
	}
	m := &marks{}
	for _, rule := range policies[0]["spec"].(map[string]any)["egress"].([]any) {
		if to := rule.(map[string]any); to["to"] != nil { // the first is DNS
			to["ports"] = m.put(`include "kn-flink.egressPorts" .`)
		}
	}
	text, err := m.print(policies[0])
	files["templates/106-egress.yaml"] = "{{- if .Values.networkPolicy.egress.enabled }}\n" + text + "{{- end }}\n"
	return err
}
