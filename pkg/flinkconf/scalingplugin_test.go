package flinkconf_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

func TestScalingPlugins(t *testing.T) {
	const p = "kubernetes.operator.plugins.autoscaler."
	got, wrong := flinkconf.NewOperator(flinkconf.Config{
		p + "a.url": "http://a.plugins.svc", p + "a.class": "org.A", p + "a.timeout": "2 s", p + "a.priority": "-3",
		p + "b.url": "https://b", p + "b.class": "org.B",
	}).ScalingPlugins()
	want := map[string]flinkconf.ScalingPlugin{
		"org.A": {Name: "a", Class: "org.A", URL: "http://a.plugins.svc", Timeout: 2 * time.Second, Priority: -3},
		"org.B": {Name: "b", Class: "org.B", URL: "https://b", Timeout: 5 * time.Second},
	}
	if diff := cmp.Diff(want, got); diff != "" || len(wrong) > 0 {
		t.Errorf("%s %q", diff, wrong)
	}
}

func TestScalingPluginsThatCannotBeRead(t *testing.T) {
	const p = "kubernetes.operator.plugins.autoscaler."
	with := func(parameter, text string) flinkconf.Config {
		return flinkconf.Config{p + "a.class": "A", p + "a.url": "http://a", p + "a." + parameter: text}
	}
	for name, row := range map[string]struct {
		config flinkconf.Config
		told   string
		usable int
	}{
		"no URL":             {flinkconf.Config{p + "a.class": "A"}, "a.url is not set", 0},
		"a URL of FTP":       {flinkconf.Config{p + "a.class": "A", p + "a.url": "ftp://a"}, "a.url: it is no URL", 0},
		"no class":           {flinkconf.Config{p + "a.url": "http://a"}, "a.class is not set", 0},
		"too long a timeout": {with("timeout", "1 min"), "10s", 1},
		"a priority":         {with("priority", "high"), `"high"`, 1},
		"another parameter":  {with("kinds", "x"), "a.kinds", 1},
		"a class twice": {flinkconf.Config{
			p + "a.class": "A", p + "a.url": "http://a", p + "b.class": "A", p + "b.url": "http://b",
		}, "b.class: A is the class of plug-in a", 1},
	} {
		got, wrong := flinkconf.NewOperator(row.config).ScalingPlugins()
		if len(wrong) != 1 || !strings.Contains(wrong[0], row.told) || len(got) != row.usable {
			t.Errorf("%s: %v %q", name, got, wrong)
		}
	}
}
