// Package job is the life of one Flink job, whoever hosts it: what Flink says of it, what was recorded, when it is
// started, changed, stopped, rolled back, recovered or restarted, from which state, and what each step leaves in its
// status.
//
// PURE: see package plan. It knows its host only by three interfaces: host.go asks for facts, steps.go for the next
// step of a start or of a takedown. It never imports package cluster. What it reads of a resource has the form of a
// FlinkDeployment; the resource of another kind is put into that form by its face.
//
// How it is built: a Round (life.go) is what all of it shares of one decision, the Specs (specs.go) are a part of it
// that knows nothing of the world, flink.go has the words for Flink's answers, and intent.go draws an operation. A rule
// is a function of a Life; each is tried in the order that the kind's make.go lists: first.go, change.go, rollback.go,
// heal.go, recover.go, settled.go. A topic is a Life by another name, with the methods of one idea:
//
//	topic          is about
//	Starting       the intent of a start, and why none can be made
//	Stopping       the way of what runs, from the intent of a stop to the start that follows
//	Ending         the end of the job within a stop, and what it ended with
//	Goal           where the open intent leads, and which newer spec redirects it
//	Record         what the steps of an operation leave in status
//	LastState      the newest state of a job that has ended
//	LostProgress   what a job that began again may have lost
//	HAData         high-availability data: who finds it, who needs it, when it goes
//	HAIncarnation  with which of it the job was seen to run
//	Snapshots      the savepoints and checkpoints that somebody asked for
//	Health         whether a job that runs gets on
//	Deletion       what a job needs before its resource goes
//	Report         status.error, and the events that go with it
//	Conclusion     what leaves the round: conditions, generations, pace, and the plan
//
// Those that nobody else needs are beside their rule: change, rollback, recovery, settling, and facts, givenUpStop,
// exceptionHistory. A method is called within its topic, and on what the Round shares; LastState(v).Awaited() asks
// another topic. Start reading at life.go.
package job
