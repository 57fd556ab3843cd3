package syntax

import "unicode/utf16"

// JavaHash is String.hashCode of Java: it runs over UTF-16 units.
func JavaHash(s string) uint32 {
	var h uint32
	for _, unit := range utf16.Encode([]rune(s)) {
		h = 31*h + uint32(unit)
	}
	return h
}
