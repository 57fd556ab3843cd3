package v1beta1

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// FlinkVersion is spec.flinkVersion: the Flink release line of the image.
// Empty means not set.
//
// +kubebuilder:validation:Enum=v1_13;v1_14;v1_15;v1_16;v1_17;v1_18;v1_19;v1_20;v2_0;v2_1;v2_2;v2_3;v2_4
type FlinkVersion string

// The known release lines, oldest first. 1.13 and 1.14 are known so that their
// resources can be read and refused with a clear message.
const (
	FlinkV1_13 FlinkVersion = "v1_13"
	FlinkV1_14 FlinkVersion = "v1_14"
	FlinkV1_15 FlinkVersion = "v1_15"
	FlinkV1_16 FlinkVersion = "v1_16"
	FlinkV1_17 FlinkVersion = "v1_17"
	FlinkV1_18 FlinkVersion = "v1_18"
	FlinkV1_19 FlinkVersion = "v1_19"
	FlinkV1_20 FlinkVersion = "v1_20"
	FlinkV2_0  FlinkVersion = "v2_0"
	FlinkV2_1  FlinkVersion = "v2_1"
	FlinkV2_2  FlinkVersion = "v2_2"
	FlinkV2_3  FlinkVersion = "v2_3"
	FlinkV2_4  FlinkVersion = "v2_4"
)

var flinkVersions = []FlinkVersion{
	FlinkV1_13, FlinkV1_14, FlinkV1_15, FlinkV1_16, FlinkV1_17, FlinkV1_18, FlinkV1_19, FlinkV1_20,
	FlinkV2_0, FlinkV2_1, FlinkV2_2, FlinkV2_3, FlinkV2_4,
}

// FlinkVersions returns the known release lines, oldest first.
func FlinkVersions() []FlinkVersion { return slices.Clone(flinkVersions) }

// FlinkVersionOf returns the release line for a major and minor number. ok is
// false when it is not a known one.
func FlinkVersionOf(major, minor int) (version FlinkVersion, ok bool) {
	version = FlinkVersion("v" + strconv.Itoa(major) + "_" + strconv.Itoa(minor))
	return version, version.Known()
}

// Known tells whether the text names a release line of the CRD's enumeration.
func (v FlinkVersion) Known() bool { return slices.Contains(flinkVersions, v) }

// Supported tells whether clusters of this release line are run: 1.15 and newer
// known ones.
func (v FlinkVersion) Supported() bool { return v.Known() && v.AtLeast(FlinkV1_15) }

// Deprecated tells whether the release line is due to be dropped: 1.18 and
// older known ones.
func (v FlinkVersion) Deprecated() bool { return v.Known() && !v.AtLeast(FlinkV1_19) }

// AtLeast tells whether v is the same release line as other or a newer one. It
// is false when either has no numbers.
func (v FlinkVersion) AtLeast(other FlinkVersion) bool {
	major, minor, ok := v.numbers()
	otherMajor, otherMinor, otherOK := other.numbers()
	return ok && otherOK && cmp.Or(cmp.Compare(major, otherMajor), cmp.Compare(minor, otherMinor)) >= 0
}

// Compare orders release lines by major and minor number: negative when v is
// older than other, 0 when equal. Text without numbers is older than any.
func (v FlinkVersion) Compare(other FlinkVersion) int {
	return cmp.Or(cmp.Compare(v.Major(), other.Major()), cmp.Compare(v.Minor(), other.Minor()))
}

// Major is the 1 of v1_20; -1 when the text has no numbers.
func (v FlinkVersion) Major() int {
	major, _, ok := v.numbers()
	if !ok {
		return -1
	}
	return major
}

// Minor is the 20 of v1_20; -1 when the text has no numbers.
func (v FlinkVersion) Minor() int {
	_, minor, ok := v.numbers()
	if !ok {
		return -1
	}
	return minor
}

// Dotted is the text people use, 1.20 for v1_20; the text itself when it has no
// numbers.
func (v FlinkVersion) Dotted() string {
	major, minor, ok := v.numbers()
	if !ok {
		return string(v)
	}
	return strconv.Itoa(major) + "." + strconv.Itoa(minor)
}

func (v FlinkVersion) numbers() (major, minor int, ok bool) {
	rest, found := strings.CutPrefix(string(v), "v")
	left, right, split := strings.Cut(rest, "_")
	if !found || !split {
		return 0, 0, false
	}
	major, majorErr := strconv.Atoi(left)
	minor, minorErr := strconv.Atoi(right)
	if majorErr != nil || minorErr != nil || major < 0 || minor < 0 {
		return 0, 0, false
	}
	return major, minor, true
}
