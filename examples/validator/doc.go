// Command validator has a rule of its own for Flink jobs: images come from one registry. Where to start for a validator
// or a mutator of your own.
//
// I/O: it serves HTTP at PORT, and answers AdmissionReviews at / (the rule) and at /mutate (label team, where it is
// missing). validator.yaml makes it a Knative Service; docs/extend/index.md says how the settings name it.
package main
