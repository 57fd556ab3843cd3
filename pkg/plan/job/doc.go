// Package job is the life of one Flink job, whoever hosts it: what Flink says of it, what was recorded, when it is
// started, changed, stopped, rolled back, recovered or restarted, from which state, and what each step leaves in its
// status.
//
// PURE: see package plan. It knows its host only by three interfaces: host.go asks for facts, steps.go for the next
// step of a start or of a takedown. It never imports package cluster. What it reads of a resource has the form of a
// FlinkDeployment; the resource of another kind is put into that form by its face.
//
// How it is built: life.go is what one decision sees, flink.go the words for Flink's answers, and intent.go draws an
// operation. The rules: first.go, change.go, stop.go and end.go, start.go, rollback.go, recover.go, heal.go,
// settled.go; each is tried in the order that the kind's make.go lists. Start reading at life.go.
package job
