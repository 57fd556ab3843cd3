package admission

import (
	"fmt"
	"strings"
	"testing"

	"knative.dev/pkg/apis"
)

func TestADenialTellsNoSecret(t *testing.T) {
	told := &apis.FieldError{
		Message: "jarURI https://u:hunter2@h/j.jar cannot be fetched", Paths: []string{"spec.job.jarURI"},
		Details: "see --password hunter2",
	}
	for name, found := range map[string]*apis.FieldError{"denied": told, "warned": told.At(apis.WarningLevel)} {
		_, _, response := post(t, Handler{Judge: finding(found)}, ValidatePath, review("CREATE", "FlinkDeployment", plain))
		text := fmt.Sprint(response)
		if strings.Contains(text, "hunter2") || !strings.Contains(text, "https://u:******@h/j.jar") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
