// Package ko stands for ko and a registry: an image named ko://IMPORT/PATH is a main package of the checkout, built by
// the go command; the node gets the program as an image.
//
// I/O: it runs `go build` and keeps programs below its directory.
//
//	ko://example.org/m/functions/f ──Resolve──► ko.local/example.org/m/functions/f:3f2a91bc04d7 ──Pull──► /ko-app/f
//
// As with ko, the name that is deployed says what the content is: changed code is another image, so another revision.
// Flags and environment of a build are those of the checkout's ko.yaml.
//
// It must not know what a function does, nor Knative.
//
// Start reading at Builder.
package ko
