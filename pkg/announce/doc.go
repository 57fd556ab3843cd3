// Package announce tells people that the settings of the installation changed, or cannot be read, by an Event of the
// ConfigMap, and keeps a copy of those that were accepted last.
//
// Leaf, I/O: it reads the ConfigMap of the settings, and writes the copy and the Events. The copy is mounted beside the
// settings: a function that starts while they are broken goes on with it (package settings), and what was told is told
// by one pod only, the one whose write of the copy succeeds. Start reading at Announcer.Tell.
package announce
