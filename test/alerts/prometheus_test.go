package alerts

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
	tsdb "github.com/prometheus/prometheus/storage"
	"sigs.k8s.io/yaml"
)

// ruleFile is the PrometheusRule as Prometheus itself takes it, with the names of its groups, in order, and alerts.
type ruleFile struct {
	path           string
	groups, alerts []string
}

func readRules(t *testing.T) (file ruleFile) {
	t.Helper()
	data, err := os.ReadFile("../../config/monitoring/rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var object struct {
		Spec json.RawMessage `json:"spec"`
	}
	var spec struct {
		Groups []struct {
			Name  string `json:"name"`
			Rules []struct {
				Alert string `json:"alert"`
			} `json:"rules"`
		} `json:"groups"`
	}
	if err := yaml.Unmarshal(data, &object); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(object.Spec, &spec); err != nil {
		t.Fatal(err)
	}
	for _, group := range spec.Groups {
		file.groups = append(file.groups, group.Name)
		for _, rule := range group.Rules {
			if rule.Alert != "" {
				file.alerts = append(file.alerts, rule.Alert)
			}
		}
	}
	file.path = filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(file.path, object.Spec, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// fired is an alert that fires: since which minute, and what a person reads.
type fired struct {
	minute int
	text   string
}

// evaluate has Prometheus evaluate the rules once a minute, over samples of one a minute, and gives the alerts that
// fire by their name: the first time of each.
func evaluate(t *testing.T, file ruleFile, minutes int, series ...string) map[string]fired {
	t.Helper()
	samples, err := promqltest.NewLazyLoader(
		"load 1m\n  "+strings.Join(series, "\n  ")+"\n",
		promqltest.LazyLoaderOpts{Parser: parser.NewParser(parser.Options{})},
	)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := samples.Close(); err != nil {
			t.Error(err)
		}
	}()
	groups := file.load(t, samples.QueryEngine(), samples.Storage())
	found := map[string]fired{}
	for minute := range minutes + 1 {
		at := time.Unix(0, 0).UTC().Add(time.Duration(minute) * time.Minute)
		samples.WithSamplesTill(at, func(err error) {
			if err != nil {
				t.Fatal(err)
			}
			note(samples.Context(), t, groups, at, minute, found)
		})
	}
	return found
}

// storage is what Prometheus keeps samples in.
type storage interface {
	tsdb.Queryable
	tsdb.AppendableV2
}

// load has Prometheus load the rules. The groups are in the order of the file: an alert reads what a group before it
// has recorded.
func (f ruleFile) load(t *testing.T, engine promql.QueryEngine, over storage) []*rules.Group {
	t.Helper()
	groups, errs := rules.NewManager(&rules.ManagerOptions{
		QueryFunc: rules.EngineQueryFunc(engine, over), AppendableV2: over, Context: t.Context(),
		Logger: promslog.NewNopLogger(), Parser: parser.NewParser(parser.Options{}),
		NotifyFunc: func(context.Context, string, ...*rules.Alert) {},
	}).LoadGroups(time.Minute, labels.EmptyLabels(), "", nil, false, f.path)
	if errs != nil {
		t.Fatal(errs)
	}
	all := make([]*rules.Group, 0, len(groups))
	for _, name := range f.groups {
		all = append(all, groups[rules.GroupKey(f.path, name)])
	}
	return all
}

// note evaluates the groups at a time, and notes the alerts that fire.
func note(
	ctx context.Context, t *testing.T, groups []*rules.Group, at time.Time, minute int, found map[string]fired,
) {
	t.Helper()
	for _, group := range groups {
		group.Eval(ctx, at)
		for _, rule := range group.Rules() {
			if rule.LastError() != nil {
				t.Fatalf("rule %s: %v", rule.Name(), rule.LastError())
			}
			alert, is := rule.(*rules.AlertingRule)
			if !is {
				continue
			}
			alert.SetRestored(true)
			for _, a := range alert.ActiveAlerts() {
				if _, known := found[alert.Name()]; a.State == rules.StateFiring && !known {
					found[alert.Name()] = fired{minute, a.Annotations.Get("description")}
				}
			}
		}
	}
}

// series is a series of samples, one a minute: "0 1x4" begins with 0 and goes on with 1 for five minutes.
func series(name, labels, values string) string {
	return fmt.Sprintf("%s{%s} %s", name, labels, values)
}
