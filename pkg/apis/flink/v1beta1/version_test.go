package v1beta1

import (
	"slices"
	"testing"
)

func TestFlinkVersionOrder(t *testing.T) {
	versions := FlinkVersions()
	if !slices.IsSortedFunc(versions, FlinkVersion.Compare) || len(versions) != 13 {
		t.Errorf("known versions are not 13 in order: %v", versions)
	}
	for i, older := range versions {
		for j, newer := range versions {
			if got, want := newer.AtLeast(older), j >= i; got != want {
				t.Errorf("%s.AtLeast(%s) = %t", newer, older, got)
			}
		}
	}
	versions[0] = "changed"
	if FlinkVersions()[0] != FlinkV1_13 {
		t.Error("a caller can change the list of known versions")
	}
}

func TestFlinkVersionFacts(t *testing.T) {
	type facts struct {
		known, supported, deprecated bool
		major, minor                 int
		dotted                       string
	}
	rows := map[FlinkVersion]struct {
		reason string
		want   facts
	}{
		FlinkV1_13: {
			"known so that it can be refused", facts{known: true, deprecated: true, major: 1, minor: 13, dotted: "1.13"},
		},
		FlinkV1_14: {
			"the newest unsupported one", facts{known: true, deprecated: true, major: 1, minor: 14, dotted: "1.14"},
		},
		FlinkV1_15: {
			"the oldest supported one",
			facts{known: true, supported: true, deprecated: true, major: 1, minor: 15, dotted: "1.15"},
		},
		FlinkV1_18: {
			"the newest deprecated one",
			facts{known: true, supported: true, deprecated: true, major: 1, minor: 18, dotted: "1.18"},
		},
		FlinkV1_19: {
			"the oldest one that is not deprecated", facts{known: true, supported: true, major: 1, minor: 19, dotted: "1.19"},
		},
		FlinkV2_4: {"the newest one", facts{known: true, supported: true, major: 2, minor: 4, dotted: "2.4"}},
		"v2_5":    {"newer than we know: numbers, but not supported", facts{major: 2, minor: 5, dotted: "2.5"}},
		"":        {"not set", facts{major: -1, minor: -1}},
		"1.20":    {"another spelling is not a version", facts{major: -1, minor: -1, dotted: "1.20"}},
		"v1_":     {"no minor number", facts{major: -1, minor: -1, dotted: "v1_"}},
		"v-1_2":   {"no sign", facts{major: -1, minor: -1, dotted: "v-1_2"}},
		"v1_2_3":  {"two numbers, not three", facts{major: -1, minor: -1, dotted: "v1_2_3"}},
	}
	for version, row := range rows {
		got := facts{
			version.Known(), version.Supported(), version.Deprecated(), version.Major(), version.Minor(), version.Dotted(),
		}
		if got != row.want {
			t.Errorf("%q (%s): %+v, want %+v", version, row.reason, got, row.want)
		}
	}
}

func TestAFlinkVersionWithoutNumbers(t *testing.T) {
	for _, odd := range []FlinkVersion{"", "latest", "v1"} {
		if odd.AtLeast(FlinkV1_13) || FlinkV2_4.AtLeast(odd) || odd.AtLeast(odd) {
			t.Errorf("%q takes part in an order", odd)
		}
		if odd.Compare(FlinkV1_13) >= 0 {
			t.Errorf("%q is not older than a version", odd)
		}
	}
}

func TestFlinkVersionOf(t *testing.T) {
	for minor := 17; minor <= 20; minor++ {
		version, ok := FlinkVersionOf(1, minor)
		if !ok || version.Major() != 1 || version.Minor() != minor {
			t.Errorf("1.%d: %s, %t", minor, version, ok)
		}
	}
	if version, ok := FlinkVersionOf(0, 1); ok {
		t.Errorf("0.1 became %s", version)
	}
}
