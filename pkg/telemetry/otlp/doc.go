// Package otlp is the way of metrics, spans and log lines out of a function: where to, in which messages, by one POST.
//
// Leaf, I/O: it sends what it is given and keeps nothing. The messages are those of the OpenTelemetry project without
// gRPC, which the official exporter links and HTTP has no use for (ADR 0050). Start reading at EndpointOf and
// Client.Send.
package otlp
