// Package settings holds what an installation is told: where it runs, where it posts events, and the base Flink
// configuration that stands below every resource's own.
//
// Leaf, I/O: it reads the environment and the mounted directories, and nothing else in the tree reads either. A
// Settings value is immutable: a Source gives the one that counts now, and a Handler answers each request with one of
// them, from its begin to its end. Files that cannot be read never count; the last good ones do. Start reading at
// Source.Current.
package settings
