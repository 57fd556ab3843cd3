package manifests

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	plain "sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/settings"
)

// The shipped settings, read as a function reads them.
func TestTheSettingsSayEachMinute(t *testing.T) {
	const option = "kubernetes.operator.reconcile.interval"
	objects := files(t, installation)["100-settings.yaml"]
	if len(objects) != 2 || objects[0].GetName() != "flink-operator-defaults" {
		t.Fatalf("%d objects", len(objects))
	}
	if own, is := objects[1].Object["data"]; is || objects[1].GetName() != "flink-operator-config" {
		t.Errorf("the ConfigMap of the user is %s, and has %v: it would be taken back with each update",
			objects[1].GetName(), own)
	}
	texts, _, err := unstructured.NestedStringMap(objects[0].Object, "data")
	if err != nil {
		t.Fatal(err)
	}
	dir, options := t.TempDir(), map[string]any{}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := plain.Unmarshal([]byte(texts["defaults.yaml"]), &options); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FLINK_CONF_DIR", dir)
	s, err := settings.Load()
	if err != nil {
		t.Fatal(err)
	}
	if every := s.Operator.ReconcileInterval(); options[option] == nil || every != time.Minute {
		t.Errorf("%s is %v, read as %s; want a minute, and that it is there to be edited", option, options[option], every)
	}
	if unset := flinkconf.NewOperator(nil).ReconcileInterval(); unset != time.Minute {
		t.Errorf("without the option it is %s: the settings are to show what happens anyway", unset)
	}
}
