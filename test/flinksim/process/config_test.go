package process

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestReadConfig(t *testing.T) {
	rows := map[string]struct {
		data map[string]string
		want Config
		why  string
	}{
		"lines": {map[string]string{
			"flink-conf.yaml": "a: b\n c.d :  e f \nx:y\nempty: \n# note: no\nu: http://h/#x\na: c\nq: 'z'\n",
		},
			Config{"a": "c", "c.d": "e f", "u": "http://h/", "q": "'z'"},
			"first \": \", # cuts, no quoting, the last key wins"},
		"nested": {map[string]string{"config.yaml": "a:\n  b: 'x'\n  c:\n  - p\n  - q\n$internal.y: true\nn: null\n"},
			Config{"a.b": "x", "a.c": "p;q", "$internal.y": "true"}, "flattened, lists joined"},
		"flat yaml": {
			map[string]string{"config.yaml": "a.b: '1'\na.c: 2\n"}, Config{"a.b": "1", "a.c": "2"},
			"dotted keys at the top are as good",
		},
		"both": {
			map[string]string{"flink-conf.yaml": "a: old\n", "config.yaml": "a: new\n"}, Config{"a": "old"},
			"flink-conf.yaml is looked up first",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			got, err := ReadConfig(row.data)
			if diff := cmp.Diff(row.want, got); diff != "" || err != nil {
				t.Errorf("%v: %s\n%s", err, row.why, diff)
			}
		})
	}
	for name, data := range map[string]map[string]string{
		"neither": {"log4j-console.properties": "x"}, "duplicate": {"config.yaml": "a: 1\na: 2\n"},
		"no yaml": {"config.yaml": "a: b: c"},
	} {
		if _, err := ReadConfig(data); err == nil {
			t.Errorf("%s: no error; the JobManager would not start", name)
		}
	}
}

func TestDerivedValues(t *testing.T) {
	durations := map[string]time.Duration{
		"5 s": 5 * time.Second, "5s": 5 * time.Second, "1 min": time.Minute, "90000": 90 * time.Second,
		"2 h": 2 * time.Hour, "1 d": 24 * time.Hour, "x": 0, "": 0,
	}
	for text, want := range durations {
		if got := (Config{"k": text}).duration("k"); got != want {
			t.Errorf("duration %q = %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]bool{"kubernetes": true, "KUBERNETES": true, "zookeeper": true, "NONE": false,
		"": false,
		"org.apache.flink.kubernetes.highavailability.KubernetesHaServicesFactory": true} {
		if got := (Config{"high-availability": text}).HA(); got != want {
			t.Errorf("HA of %q = %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]string{"v1_20": "1.20", "v2_2": "2.2", "": "1.20"} {
		if got := (Config{"$internal.flink.version": text}).Version(); got != want {
			t.Errorf("version of %q = %s, want %s", text, got, want)
		}
	}
}
