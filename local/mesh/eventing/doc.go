// Package eventing stands for Knative Eventing. What events go through is Knative's own code; what makes it is ours.
//
// I/O: it reads Brokers, Triggers and sources, writes their status, and serves the HTTP of Knative's parts.
//
//	Knative's code here          | from                                  | what it brings
//	ApiServerSource's adapter    | eventing/pkg/adapter/apiserver        | no events for what exists, 6 tries in 3.1 s, one at a time
//	PingSource's runner          | eventing/pkg/adapter/mtping           | 6-field cron, jitter of half a second, no made-up ticks
//	Broker ingress               | eventing/pkg/broker/ingress           | validation, TTL, answers
//	channel fan-out, dispatcher  | eventing/pkg/channel/fanout           | async-handler, retries, back-off, dead letters, replies
//	Broker filter                | eventing/pkg/broker/filter            | filters of a Trigger, what counts as a reply
//
// The reconcilers are ours: they resolve addresses, fill the status that Knative's parts read, and say Ready. There are
// no channels, subscriptions or adapter pods as objects.
//
// It must not know what an event means, nor how a function runs.
//
// Invariants: an object is Ready when events go through it, and not before; an adapter has the rights of its own
// service account and no others.
//
// Start reading at Start.
package eventing
