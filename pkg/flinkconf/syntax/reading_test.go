package syntax

import (
	"math"
	"strconv"
	"testing"
)

func mustInt(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// floatOf reads the bits of a double, in hexadecimal.
func floatOf(t *testing.T, bits string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(bits, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return math.Float64frombits(n)
}

func names(pairs [][2]string) []string {
	all := make([]string, len(pairs))
	for i, p := range pairs {
		all[i] = p[0]
	}
	return all
}

func valueOf(pairs [][2]string, name string) string {
	for _, p := range pairs {
		if p[0] == name {
			return p[1]
		}
	}
	return ""
}

// annotated adds one entry to a map text as the Java operator adds its generation: into a copy of the map that was
// read.
func annotated(t *testing.T, text string) string {
	t.Helper()
	pairs, err := SplitMap(text)
	if err != nil {
		t.Fatal(err)
	}
	const added = "flinkdeployment.flink.apache.org/generation"
	order := HashOrder(names(pairs), DefaultBuckets)
	order = HashOrder(append(order, added), CopyBuckets(len(order)))
	out := make([][2]string, len(order))
	for i, name := range order {
		out[i] = [2]string{name, valueOf(pairs, name)}
		if name == added {
			out[i][1] = "7"
		}
	}
	return JoinMap(out)
}
