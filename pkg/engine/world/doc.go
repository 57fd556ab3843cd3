// Package world is what one decision works on: what a look saw of the resource, of Flink and of the job's host, the
// specs that count, and the status as the round will leave it. Questions that need no more than that are methods of
// Look.
//
// What runs is found and judged by what it was started with, not by the defaults of today: where it answers, where its
// high-availability data lies, what Flink does with its checkpoints. A start draws these options when its intent is
// stored, is made with them, and leaves them in status.deployed.
//
//	what runs               its options are
//	is being started        those of the intent
//	was started by us       those of status.deployed
//	of another operator,    those of the ConfigMap that its pods mount, once it is read; until then they follow from the
//	of a version before,    recorded spec and today's defaults
//	or not what status
//	speaks of
//
// PURE: it knows the host of the job by the interface Host. Start reading at Look.
package world
