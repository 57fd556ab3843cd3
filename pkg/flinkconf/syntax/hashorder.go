package syntax

import "unicode/utf16"

// DefaultBuckets is the table size of a java.util.HashMap that was made without a size.
const DefaultBuckets = 16

// HashOrder returns keys in the order in which a java.util.HashMap lists them that got them in the order given and
// started with so many buckets. The Java operator prints map options in that order, so a configuration file of ours
// equals one of its own only with it. Repeated keys are listed once. Java's conversion of long chains to trees is left
// out: it needs nine collisions.
func HashOrder(keys []string, buckets int) []string {
	seen := make(map[string]bool, len(keys))
	unique := make([]string, 0, len(keys))
	for _, key := range keys {
		if !seen[key] {
			seen[key] = true
			unique = append(unique, key)
		}
	}
	for len(unique)*4 > buckets*3 { // the table doubles as soon as it is more than three quarters full
		buckets *= 2
	}
	chains := make([][]string, buckets)
	for _, key := range unique {
		h := JavaHash(key)
		i := (h ^ h>>16) & uint32(buckets-1)
		chains[i] = append(chains[i], key)
	}
	ordered := unique[:0]
	for _, chain := range chains {
		ordered = append(ordered, chain...)
	}
	return ordered
}

// CopyBuckets is the table size of a HashMap that was made as the copy of another one with n entries.
func CopyBuckets(n int) int {
	if n == 0 {
		return DefaultBuckets
	}
	buckets := 1
	for buckets < n*4/3+1 {
		buckets *= 2
	}
	return buckets
}

// JavaHash is String.hashCode of Java: it runs over UTF-16 units.
func JavaHash(s string) uint32 {
	var h uint32
	for _, unit := range utf16.Encode([]rune(s)) {
		h = 31*h + uint32(unit)
	}
	return h
}
