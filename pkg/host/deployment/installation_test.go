package deployment_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// ofTheInstallation are all spellings of the options that an administrator decides on, and one key of each family.
func ofTheInstallation() map[string]conf.Option {
	keys := map[string]conf.Option{}
	for _, o := range key.All() {
		if o.Scope != conf.ScopeOperator && o.Scope != conf.ScopeNamespace {
			continue
		}
		for _, spelling := range append([]string{o.Key}, o.Fallbacks...) {
			keys[spelling] = o
			if o.Kind == conf.KindMap {
				keys[spelling+".a"] = o
			}
		}
	}
	for prefix := range key.InstallationPrefixes() {
		for _, rest := range []string{
			"default.", "v1_20.", "v1_15+.", "",
		} {
			keys[prefix+rest+"kubernetes.operator.ingress.manage"] = key.IngressManage
		}
		keys[prefix+"x.url"] = conf.Option{}
	}
	return keys
}

// values are texts of an option's kind that are not its default, and one that is of no kind.
func values(o conf.Option) []string {
	texts := map[conf.Kind]string{
		conf.KindBool: "true", conf.KindInt: "0", conf.KindDuration: "1 ms", conf.KindMemory: "1 b", conf.KindFloat: "9.5",
		conf.KindMap: ".*:Mine", conf.KindList: "http;https",
	}
	text := texts[o.Kind]
	switch {
	case o.Kind == conf.KindBool && o.Default == "true":
		text = "false"
	case o.Kind == conf.KindEnum:
		text = o.Values[len(o.Values)-1]
	case text == "":
		text = "other"
	}
	return []string{text, "'rubbish"}
}

// overruled is a life of a job of an application: started, upgraded, taken down by hand and deleted, with an Ingress.
func overruled(t *testing.T, spec string) string {
	t.Helper()
	w := enginetest.Stable(t, spec)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 4 })
	w.Run()
	w.Run()
	w.Terminate()
	w.Run()
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	w.Delete()
	w.Run()
	lived := append(slices.Clone(w.Log), w.Status().Error)
	for _, e := range w.Events {
		if e.Reason != "OptionWithoutEffect" {
			lived = append(lived, e.Message)
		}
	}
	for _, c := range w.Status().Conditions {
		lived = append(lived, c.Type+string(c.Status)+c.Reason+c.Message)
	}
	return specHash.ReplaceAllString(strings.Join(lived, "\n"), "of spec")
}

// specHash stands for a spec in the log: it is another one for each text.
var specHash = regexp.MustCompile(`of spec [0-9a-f]+`)

// What an administrator decides, no resource decides otherwise, however it spells the option. It is told so.
func TestNoResourceOverrulesTheInstallation(t *testing.T) {
	withIngress := strings.Replace(enginetest.Application, `"flinkConfiguration":{`,
		`"ingress":{"template":"demo.example.com"},"flinkConfiguration":{`, 1)
	neutral := overruled(t, enginetest.Spelled(withIngress, `"kubernetes.operator.plugins.listeners.a.class":"b"`))
	names := ofTheInstallation()
	if len(names) < 80 {
		t.Fatalf("only %d keys are tried", len(names))
	}
	for which := range 2 {
		var all []string
		for _, name := range slices.Sorted(maps.Keys(names)) {
			value := values(names[name])[which]
			text, _ := json.Marshal(value)
			all = append(all, fmt.Sprintf("%q:%s", name, text))
			if told := flinkconf.WithoutEffectInResource(flinkconf.Config{name: value}); len(told) < 1 &&
				!asksForTheSame(names[name], value) {
				t.Errorf("%s: %s has no effect, and that is not told", name, text)
			}
		}
		if overruled(t, enginetest.Spelled(withIngress, strings.Join(all, ","))) == neutral {
			continue
		}
		for _, option := range all {
			if got := overruled(t, enginetest.Spelled(withIngress, option)); got != neutral {
				t.Errorf("%s of a resource has an effect:\n%s\nwithout it:\n%s", option, got, neutral)
			}
		}
	}
}

// asksForTheSame reports whether a value asks for what happens anyway, which is not told.
func asksForTheSame(o conf.Option, value string) bool {
	return slices.ContainsFunc(key.NoEffect(), func(u key.Unread) bool {
		return u.Option.Key == o.Key && strings.EqualFold(u.Same, value)
	})
}
