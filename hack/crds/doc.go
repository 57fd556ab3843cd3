// Command crds writes the CustomResourceDefinitions of the four kinds from the
// Go types in pkg/apis/flink/v1beta1, one YAML file per kind. It runs by
// go generate.
//
// I/O: it reads the types and writes config/crds.
//
// The schemas have to accept every resource that the Apache Flink Kubernetes
// Operator's own definitions accept, and store it without loss. So what a
// generator adds by itself is taken off again (shape.go): required, default,
// format, list types, patterns and lengths. What constrains a field is its type,
// an enumeration, or a CEL rule written at the Go type. The one default is a
// status that says that no function has observed the resource.
//
// Start reading at Generate in load.go.
package main
