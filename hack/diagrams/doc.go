// Command diagrams draws the diagrams of the pages as Mermaid, from what they show: the states and one change from
// the transcripts of test/scenario, the topology from config/knative. It runs by go generate.
//
// I/O: it reads those files, and replaces the text between the lines "<!-- diagram: NAME -->" and "<!-- end -->" of
// each page below docs.
//
// Start reading at pages in main.go.
//
//go:generate go run . -root ../..
package main
