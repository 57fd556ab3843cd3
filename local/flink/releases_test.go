package flink

import (
	"strings"
	"testing"
)

func TestATagNamesARelease(t *testing.T) {
	for tag, want := range map[string]string{
		"1.20":                     "1.20.5",
		"1.20.3":                   "1.20.3",
		"2.2-java17":               "2.2.1",
		"1.18.0-scala_2.12-java11": "1.18.0",
		"1.16-scala_2.12":          "1.16.3",
		"latest":                   Latest,
		"":                         Latest,
	} {
		got, err := Resolve(tag)
		if err != nil || got != want {
			t.Errorf("%q is %q, want %q: %v", tag, got, want, err)
		}
	}
}

func TestATagThatIsNoneSaysWhatWouldBe(t *testing.T) {
	for tag, want := range map[string]string{"1.99": "1.16, 1.17", "main": "like 1.20", "1": "like 1.20"} {
		if _, err := Resolve(tag); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", tag, err, want)
		}
	}
}

func TestMinorsAreInOrder(t *testing.T) {
	minors := Minors()
	if got := strings.Join(minors, " "); !strings.HasPrefix(got, "1.15 1.16 1.17 1.18 1.19 1.20 2.0 ") {
		t.Errorf("%s", got)
	}
	if newest := releases[minors[len(minors)-1]]; newest != Latest {
		t.Errorf("the newest is %s, and Latest %s", newest, Latest)
	}
}

func TestAReleaseFileSaysTheVersion(t *testing.T) {
	for name, row := range map[string]struct {
		text string
		want int
	}{
		"17":  {"IMPLEMENTOR=\"Debian\"\nJAVA_VERSION=\"17.0.15\"\n", 17},
		"8":   {"JAVA_VERSION=\"1.8.0_292\"\n", 8},
		"21":  {"JAVA_VERSION=\"21\"\n", 21},
		"bad": {"OS_NAME=\"Linux\"\n", 0},
	} {
		got, err := release(row.text)
		if got != row.want || (err == nil) != (row.want != 0) {
			t.Errorf("%s: %d, %v", name, got, err)
		}
	}
}
