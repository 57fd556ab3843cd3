// Command otelcol is an OpenTelemetry Collector with the few parts that examples/log-forwarding.yaml asks for, for the
// test that runs this example: what the Collector's own images are built from, of the same version. It is a module of
// its own: the Collector is large, and nothing else needs it.
//
// I/O: as the Collector's configuration says.
//
// It must not add anything to the Collector: what works here works with the image.
//
// Start reading at parts.
package main
