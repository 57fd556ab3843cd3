// Command chart makes the Helm chart of the operator from config/knative and config/crds: the same objects as `make
// deploy` applies, with values in the few places where an installation differs from another. Values that mean the same
// as one of the Java operator's chart have its name.
//
// It is a module of its own: Helm's packages are in no function's way. It writes docs/reference/helm-values.md, too.
//
//go:generate go run -buildvcs=false . -page ../../docs/reference/helm-values.md
package main
