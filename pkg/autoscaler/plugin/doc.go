// Package plugin reads which plug-ins of the user's own a job names: metric evaluators, scaling executors and alignment
// modes. It asks none of them: whoever does is outside, and gives their answers to packages evaluate, scale and
// execute.
//
// PURE: configuration in, names and settings out.
//
// Start reading at Read.
package plugin
