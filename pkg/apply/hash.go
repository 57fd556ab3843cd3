package apply

import "unicode/utf16"

// javaHash is String.hashCode of Java: the names of Kubernetes Events are made with it, so that both operators count up the same one.
func javaHash(text string) int32 {
	var h int32
	for _, unit := range utf16.Encode([]rune(text)) {
		h = 31*h + int32(unit)
	}
	return h
}
