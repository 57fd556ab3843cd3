package manifests

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The numbers of hack/versions.sh are in the pages, too.
func TestThePagesNameTheVersionsOfTheScripts(t *testing.T) {
	text := func(path string) string {
		data, err := os.ReadFile("../../" + path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	versions := map[string]string{}
	line := regexp.MustCompile(`(?m)^([A-Z_]+)=([0-9.]+)$`)
	for _, match := range line.FindAllStringSubmatch(text("hack/versions.sh"), -1) {
		versions[match[1]] = match[2]
	}
	platform, want := text("config/platform/knative.yaml"), `version: "`+versions["KNATIVE_TESTED"]+`"`
	if strings.Count(platform, want) != 2 {
		t.Errorf("config/platform/knative.yaml does not install both with %s, as hack/versions.sh says", want)
	}
	for _, page := range []string{"README.md", "docs/install/requirements.md"} {
		for _, want := range []string{
			"1." + versions["KUBERNETES_FLOOR"] + " or later", "Knative " + versions["KNATIVE_TESTED"],
			"needs 1." + versions["KNATIVE_FLOOR"], versions["KNATIVE_OLDEST"] + " to " + versions["KNATIVE_TESTED"],
		} {
			if !strings.Contains(text(page), want) {
				t.Errorf("%s does not say %q, as hack/versions.sh does", page, want)
			}
		}
	}
}
