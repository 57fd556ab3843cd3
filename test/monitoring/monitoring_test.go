package monitoring

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	plain "sigs.k8s.io/yaml"
)

const folder = "../../config/monitoring"

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// instrument is one that the functions have, with its name as Prometheus makes it.
type instrument struct{ name, prometheus, kind string }

var (
	declared = regexp.MustCompile(`(\w+)\s+(Histogram|Counter|Gauge) = "([^"]+)"`)
	units    = regexp.MustCompile(`(?m)^\t\t(\w+):\s+\{"([^"]*)", `)
)

// instruments reads them off their list.
func instruments(t *testing.T) []instrument {
	t.Helper()
	source := read(t, "../../pkg/telemetry/metrics/names.go")
	unit := map[string]string{}
	for _, m := range units.FindAllStringSubmatch(source, -1) {
		unit[m[1]] = m[2]
	}
	var all []instrument
	for _, m := range declared.FindAllStringSubmatch(source, -1) {
		name := strings.ReplaceAll(m[3], ".", "_") + map[string]string{
			"s": "_seconds", "By": "_bytes", "{record}/s": "_per_second",
		}[unit[m[1]]]
		if m[2] == "Counter" {
			name += "_total"
		}
		all = append(all, instrument{m[3], name, m[2]})
	}
	if len(all) < 20 || len(unit) != len(all) {
		t.Fatalf("%d instruments, %d units", len(all), len(unit))
	}
	return all
}

// series are all names of series that there can be: those of instruments, of kube-state-metrics and of rules.
func series(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	for _, i := range instruments(t) {
		if i.kind != "Histogram" {
			known[i.prometheus] = true
			continue
		}
		for _, part := range []string{"_bucket", "_count", "_sum"} {
			known[i.prometheus+part] = true
		}
	}
	var states struct {
		Spec struct {
			Resources []struct {
				MetricNamePrefix string
				Metrics          []struct{ Name string }
			}
		}
	}
	text := read(t, filepath.Join(folder, "kube-state-metrics.yaml"))
	if err := plain.Unmarshal([]byte(text), &states); err != nil {
		t.Fatal(err)
	}
	for _, r := range states.Spec.Resources {
		for _, m := range r.Metrics {
			known[r.MetricNamePrefix+"_"+m.Name] = true
		}
	}
	for _, r := range rules(t) {
		known[r.Record] = true
	}
	return known
}

type rule struct {
	Record, Alert, Expr string
	Annotations         map[string]string
}

func rules(t *testing.T) (all []rule) {
	t.Helper()
	var file struct {
		Spec struct {
			Groups []struct {
				Name  string
				Rules []rule
			}
		}
	}
	if err := plain.Unmarshal([]byte(read(t, filepath.Join(folder, "rules.yaml"))), &file); err != nil {
		t.Fatal(err)
	}
	for _, g := range file.Spec.Groups {
		all = append(all, g.Rules...)
	}
	return all
}

// named are the names in an expression that can only be those of series.
var named = regexp.MustCompile(`\b(flink_\w+|flink(?:deployment|sessionjob|statesnapshot|bluegreendeployment)_\w+|` +
	`http_client_\w+)(:newest)?`)

// labels are attributes of metrics, which look like names of series.
var labels = regexp.MustCompile(
	`^flink_(state(_from)?|version|vertex_id|resource_(kind|name)|operator_(action|reason|situation|sweep|` +
		`autoscaler_outcome|review_(operation|path|outcome)))$`,
)

func unknown(expr string, known map[string]bool) (names []string) {
	expr = regexp.MustCompile(`__name__=~\\?"[^"]*"`).ReplaceAllString(expr, "")
	for _, m := range named.FindAllStringSubmatch(expr, -1) {
		if name := m[1] + m[2]; !known[name] && !labels.MatchString(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func TestRulesAndDashboardsAskForWhatThereIs(t *testing.T) {
	known := series(t)
	for _, r := range rules(t) {
		if names := unknown(r.Expr, known); len(names) > 0 {
			t.Errorf("%s%s asks for %v, which nobody tells", r.Record, r.Alert, names)
		}
		if r.Alert != "" && (r.Annotations["summary"] == "" || r.Annotations["description"] == "") {
			t.Errorf("%s does not say what it means", r.Alert)
		}
	}
	boards, err := filepath.Glob(filepath.Join(folder, "dashboards", "*.json"))
	if err != nil || len(boards) != 3 {
		t.Fatalf("%v, %v, want three dashboards", boards, err)
	}
	for _, path := range boards {
		text := read(t, path)
		var board struct {
			UID, Title string
			Panels     []struct {
				ID      int
				Title   string
				Targets []struct{ Expr string }
			}
		}
		if err := json.Unmarshal([]byte(text), &board); err != nil {
			t.Fatal(err)
		}
		if names := unknown(text, known); len(names) > 0 {
			t.Errorf("%s asks for %v, which nobody tells", path, names)
		}
		ids := map[int]bool{}
		for _, p := range board.Panels {
			if ids[p.ID] || p.Title == "" || len(p.Targets) == 0 {
				t.Errorf("%s: panel %d %q: its number is taken, or it shows nothing", path, p.ID, p.Title)
			}
			ids[p.ID] = true
		}
	}
}

func TestEveryMetricIsExplained(t *testing.T) {
	page := read(t, "../../docs/reference/metrics.md")
	for _, i := range instruments(t) {
		if !strings.Contains(page, "| `"+i.name+"` | `"+i.prometheus+"` |") {
			t.Errorf("docs/reference/metrics.md has no row for %s, in Prometheus %s", i.name, i.prometheus)
		}
	}
}

// runbooks is where the runbook_url of an alert leads: one place, so that the Helm chart can put another in for it.
const runbooks = "https://github.com/kn-flink/kn-flink/blob/main/"

var heading = regexp.MustCompile(`(?m)^#+ (.+)$`)

// anchors are those that a page has by its headings, as GitHub makes them.
func anchors(page string) map[string]bool {
	found := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		text := regexp.MustCompile(`[^\w\- ]`).ReplaceAllString(strings.ToLower(m[1]), "")
		found[strings.ReplaceAll(text, " ", "-")] = true
	}
	return found
}

func TestEveryAlertLeadsToWhatToDo(t *testing.T) {
	alerts := 0
	for _, r := range rules(t) {
		if r.Alert == "" {
			continue
		}
		alerts++
		path, ours := strings.CutPrefix(r.Annotations["runbook_url"], runbooks)
		page, anchor, _ := strings.Cut(path, "#")
		if !ours || page != "docs/observe/alerts.md" || anchor != strings.ToLower(r.Alert) {
			t.Errorf("the runbook_url of %s is %q", r.Alert, r.Annotations["runbook_url"])
			continue
		}
		if !anchors(read(t, "../../"+page))[anchor] {
			t.Errorf("%s has no part on %s", page, r.Alert)
		}
	}
	if alerts < 10 {
		t.Errorf("only %d alerts were found", alerts)
	}
}

// TestTheJavaAutoscalersNames: a dashboard that was made for the Java operator finds each of its series of vertices.
func TestTheJavaAutoscalersNames(t *testing.T) {
	const of = "flink_k8soperator_namespace_resource_AutoScaler_jobVertexID_"
	known := series(t)
	for _, metric := range []string{
		"LOAD_Average", "TRUE_PROCESSING_RATE_Average", "TARGET_DATA_RATE_Average", "CATCH_UP_DATA_RATE_Current",
		"LAG_Current", "PARALLELISM_Current", "RECOMMENDED_PARALLELISM_Current", "MAX_PARALLELISM_Current",
		"NUM_SOURCE_PARTITIONS_Current", "SCALE_UP_RATE_THRESHOLD_Current", "SCALE_DOWN_RATE_THRESHOLD_Current",
		"EXPECTED_PROCESSING_RATE_Current",
	} {
		if !known[of+metric] {
			t.Errorf("no rule gives %s", metric)
		}
	}
}

// TestStatesOfKubeStateMetricsAreThoseOfTheKinds: an enumeration that grows must grow there, too.
func TestStatesOfKubeStateMetricsAreThoseOfTheKinds(t *testing.T) {
	text := read(t, filepath.Join(folder, "kube-state-metrics.yaml"))
	list := regexp.MustCompile(`path: \[(status, [\w, ]+)\], list: \[([\w, ]+)\]`)
	for _, r := range list.FindAllStringSubmatch(text, -1) {
		fields := strings.Split(r[1], ", ")
		kinds := map[string]string{
			"lifecycleState": "LifecycleState", "jobManagerDeploymentStatus": "JobManagerDeploymentStatus",
			"blueGreenState": "BlueGreenState",
		}
		name := kinds[fields[len(fields)-1]]
		if name == "" {
			name = map[bool]string{true: "FlinkJobState", false: "SnapshotState"}[fields[1] == "jobStatus"]
		}
		var found bool
		for _, file := range []string{"status_types.go", "snapshot_types.go", "bluegreen_types.go"} {
			source := read(t, "../../pkg/apis/flink/v1beta1/"+file)
			enum := regexp.MustCompile(`Enum=([\w;]+)\ntype ` + name + ` string`).FindStringSubmatch(source)
			if enum == nil {
				continue
			}
			found = true
			want, got := strings.Split(enum[1], ";"), strings.Split(r[2], ", ")
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(want, got) {
				t.Errorf("%s: %v, want %v", name, got, want)
			}
		}
		if !found {
			t.Errorf("there is no enumeration %s", name)
		}
	}
}
