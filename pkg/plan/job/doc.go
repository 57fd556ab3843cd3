// Package job is the life of one Flink job, whoever hosts it: what Flink says of it, what was recorded, what it could
// start from, and what a step of an operation leaves in its status.
//
// PURE: see package plan. It knows its host only by what host.go asks of it, and never imports package cluster. Start
// reading at life.go.
package job
