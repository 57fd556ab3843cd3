// Command reconcile is the function that runs passes: the only writer of Flink clusters, their objects and resource
// status.
//
// It is installed twice: Service reconcile-jars is the same with UPLOADS_JARS, and has the time to upload a jar.
//
// I/O, wiring only. It takes events of the four kinds, pass.requested and upload.requested, runs the pass of package
// pass for the resource that the event names, and answers by the table of package fail. Start reading at function.go.
package main
