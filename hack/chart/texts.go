package main

import (
	_ "embed"
	"fmt"
	"strings"
)

// The files of the chart that come from no manifest. Those with .in in their names are formats of fmt.Sprintf.
var (
	//go:embed files/Chart.yaml.in
	chartFile string
	//go:embed files/README.md.in
	readme string
	//go:embed files/values.yaml.in
	valuesFile string
	//go:embed files/helpers.tpl
	helpers string
	//go:embed files/settings.yaml
	settings string
	//go:embed files/tenants.yaml
	tenants string
	//go:embed files/monitoring.yaml.in
	monitoring string
	//go:embed files/NOTES.txt
	notes string
)

// functions are those that have an image.
var functions = []string{"admit", "console", "observe", "reconcile"}

// values is values.yaml.
func (s *source) values() string {
	var digests strings.Builder
	for _, function := range functions {
		fmt.Fprintf(&digests, "    %s: %q\n", function, s.digests[function])
	}
	return fmt.Sprintf(valuesFile, s.repository, digests.String(), s.runbooks())
}
