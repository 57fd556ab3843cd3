package images

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/local/flink"
)

func TestImageNamesLeadToReleases(t *testing.T) {
	i := Images{Aliases: map[string]string{"example.com/team/job:7": "1.19"}}
	for name, want := range map[string]string{
		"flink:2.2":                           "2.2.1",
		"flink":                               flink.Latest,
		"docker.io/library/flink:1.20-java17": "1.20.5",
		"apache/flink:1.18.0":                 "1.18.0",
		"example.com/team/job:7":              "1.19.3",
	} {
		got, err := i.resolve(name)
		if err != nil || got != want {
			t.Errorf("%s is %q, want %q: %v", name, got, want, err)
		}
	}
	for _, name := range []string{"nginx:1", "example.com/flink:2.2", "localhost:5000/flink", "flink@sha256:0"} {
		if got, err := i.resolve(name); err == nil || !strings.Contains(err.Error(), "example.com/team/job:7") {
			t.Errorf("%s is %q: %v", name, got, err)
		}
	}
}

func TestWhatIsSaidOfOtherPodsStays(t *testing.T) {
	for line, want := range map[string]bool{
		"kubernetes.flink.conf.dir: /opt/flink/conf\n": true,
		"      dir: '/opt/flink/conf'\n":               true,
		"kubernetes.entry.path: /docker-entrypoint.sh": true,
		"pipeline.jars: local:///opt/flink/a.jar\n":    false,
		"state.checkpoints.dir: file:///opt/flink/c\n": false,
		"no colon": false,
	} {
		if got := verbatim(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}
