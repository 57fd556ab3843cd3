package flinkconf_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

// Flink's own loaders, from 1.15 to 2.3, read each entry back as it was written, or it is one of those that are told:
// where a part of it is lost it is refused, where white space is another it is warned of. test/confrecord records them.
func TestFlinkReadsBackWhatIsNotRefused(t *testing.T) {
	text, err := os.ReadFile("testdata/loaded.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []struct {
		Key, Text string
		Read      map[v1beta1.FlinkVersion]string
	}
	if err := json.Unmarshal(text, &all); err != nil || len(all) < 100 {
		t.Fatalf("%d vectors: %v", len(all), err)
	}
	words := func(text string) string { return strings.Join(strings.FieldsFunc(text, isSpace), " ") }
	versions, refused := map[v1beta1.FlinkVersion]bool{}, 0
	for _, v := range all {
		for version := range v.Read {
			versions[version] = true
		}
		for _, version := range v1beta1.FlinkVersions() {
			if !version.Supported() || version == "v2_4" {
				continue
			}
			read, there := v.Read[version]
			unfit := flinkconf.UnfitEntries(flinkconf.Config{v.Key: v.Text}, version)
			whole := there && read == v.Text
			switch {
			case whole != (len(unfit) == 0):
				t.Errorf("%s: %q: %q is read as %q (%t), told %+v", version, v.Key, v.Text, read, there, unfit)
			case len(unfit) > 0 && !unfit[0].Loses && words(read) != words(v.Text):
				t.Errorf("%s: %q: %q is read as %q: more than white space is lost", version, v.Key, v.Text, read)
			}
			if len(unfit) > 0 && unfit[0].Loses {
				refused++
			}
		}
	}
	if len(versions) != 10 || refused == 0 {
		t.Errorf("%d release lines were asked, %d entries refused", len(versions), refused)
	}
}

func isSpace(r rune) bool { return r <= ' ' }
