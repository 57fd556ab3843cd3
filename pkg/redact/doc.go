// Package redact keeps secrets out of texts for people: events, status, logs.
//
// PURE leaf: texts in, texts out. It knows two kinds of secrets: what looks like one in any text (Text), and values
// that a configuration or a program's arguments name as one (Secrets). Of the latter it also knows what a cut leaves:
// who reads a text bounds it, and may not know the secrets.
//
// Invariant: what was redacted stays as it is when it is redacted again, so that a text is redacted where it comes in
// and where it goes out.
//
// Start reading at Text.
package redact
