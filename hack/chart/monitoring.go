package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// pages is where the annotations of config/monitoring lead: the pages of the newest version.
const pages = "https://github.com/kn-flink/kn-flink/blob/main/"

// pages are those of the chart's version, once it is released.
func (s *source) pages() string {
	if !strings.HasPrefix(s.tag, "v") {
		return pages
	}
	return strings.Replace(pages, "/main/", "/"+s.tag+"/", 1)
}

// runbooks is the page to which the alerts lead, until a value puts another in for it.
func (s *source) runbooks() string { return s.pages() + "docs/observe/alerts.md" }

// monitoring adds the rules and the dashboards of config/monitoring, which values switch on. They are files of the chart:
// what looks like a template in them is Prometheus' and Grafana's.
func (s *source) monitoring(files map[string]string) error {
	names, err := filepath.Glob(filepath.Join(s.root, "config", "monitoring", "dashboards", "*.json"))
	if err != nil || len(names) == 0 {
		return fmt.Errorf("no dashboards below %s: %w", s.root, err)
	}
	for _, name := range append(names, filepath.Join(s.root, "config", "monitoring", "rules.yaml")) {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files["files/monitoring/"+filepath.Base(name)] = strings.ReplaceAll(string(text), pages, s.pages())
	}
	files["templates/910-monitoring.yaml"] = fmt.Sprintf(monitoring, s.runbooks())
	return nil
}
