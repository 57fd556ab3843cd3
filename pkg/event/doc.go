// Package event is the catalogue of CloudEvents: what comes in, what goes out, and how a handler answers.
//
// Edge, I/O: Publisher posts events over HTTP; the rest is pure. Nothing is taken from an incoming event but the key of
// the object that it speaks of: an event is a hint, and a forged one can only cause an extra look. Events out carry a
// derived id, so that a repeated one can be recognised. Start reading at catalogue.go.
package event
