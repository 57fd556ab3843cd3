package syntax

import "testing"

// The sizes are those of java.util.HashMap in OpenJDK 17: the next power of two from n/0.75 + 1 on.
func TestBucketsOfACopy(t *testing.T) {
	for n, want := range map[int]int{0: 16, 1: 2, 2: 4, 3: 8, 5: 8, 6: 16, 11: 16, 12: 32, 13: 32, 24: 64} {
		if got := CopyBuckets(n); got != want {
			t.Errorf("the copy of a map of %d entries has %d buckets, not %d", n, got, want)
		}
	}
}
