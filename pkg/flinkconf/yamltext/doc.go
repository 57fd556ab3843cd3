// Package yamltext prints trees as YAML for the readers inside Flink: snakeyaml-engine for config.yaml, Jackson for pod
// templates.
//
// PURE. It must not know what a tree means.
//
// Invariants: equal trees have equal text; a string reads back as the same string in YAML 1.1 and 1.2.
//
// Start reading at Print.
package yamltext
