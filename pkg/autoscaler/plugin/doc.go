// Package plugin reads which plug-ins of the user's own a job names: metric evaluators, scaling executors and alignment
// modes. It says what they are asked, and reads what they answer. It asks none of them: whoever does is outside, and
// gives their answers to packages evaluate, scale and execute.
//
// PURE: configuration and texts in; names, settings, questions and answers out.
//
// Invariant: an answer that does not fit its question is none, with the reason.
//
// Start reading at Read, then in question.go.
package plugin
