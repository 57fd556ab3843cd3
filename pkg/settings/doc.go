// Package settings holds what an installation is told once, at the start of a function: where it runs, where it posts
// events, and the base Flink configuration that stands below every resource's own.
//
// Leaf, I/O: Load reads the environment and two mounted directories, and nothing else in the tree reads either. A
// Settings value is immutable; a change of the mounted ConfigMap counts from the next cold start of a function, which
// is at most some minutes away. Start reading at Load.
package settings
