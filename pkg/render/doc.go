// Package render makes every Kubernetes object of a Flink cluster, in native mode as Flink 1.20's own Kubernetes client
// makes them for the Java operator, and in standalone mode as that operator's own factories do: the JobManager's
// Deployment, the TaskManagers' in standalone mode, the Services, the ConfigMaps and the Secret. It also makes the
// Ingress.
//
// It is PURE: no context, no clock, no logger, no file, no randomness. What the reference's client reads from the
// operator's disk (log configuration, keytab, krb5.conf, Hadoop files) comes in through Input.
//
// It must not decide whether or when an object is created, and it must not set replicas to anything but what is wanted
// in the end: the caller prepares the Deployments at 0 and releases them.
//
// Invariants:
//   - equal input gives equal bytes; nothing in the input is changed or shared with the output;
//   - the shape of the objects is the same for Flink 1.15 to 2.x; only the name and format of the configuration file,
//     the default image and one argument of a standalone session cluster depend on the version;
//   - every error is for the user of the resource to fix, and names the option or the field; see SpecError;
//   - every name is valid for its kind and bounded, see names.go.
//
// Start reading at cluster.go, then at the steps of a mode in native.go and standalone.go, then at what they do in
// jobmanager.go and taskmanager.go. Names are in names.go, labels in labels.go, the layering of pod
// templates in the sub-package podtemplate.
package render
