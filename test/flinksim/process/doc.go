// Package process is the model of Flink's processes: JobManagers and TaskManagers in pods that the model kubelet runs.
//
// I/O: none outside the process; it reads and writes the model API server directly, as the service account of the pods
// would.
//
// A JobManager reads its configuration from the ConfigMap of its cluster, leads or stands by, submits its application,
// asks for TaskManager pods and writes its high-availability ConfigMaps.
//
// It must not share code with the operator: a model that reads with the operator's own parser proves nothing.
//
// Invariants that it watches, see Violations: never two live jobs of one resource; no high-availability data deleted
// under a JobManager that runs.
//
// Start reading at JobManager in jobmanager.go; high availability is in ha.go.
package process
