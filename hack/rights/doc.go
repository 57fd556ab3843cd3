// Command rights writes docs/reference/rights.md: each right that the installation gives, to whom, where, and why. It
// runs by go
// generate.
//
// I/O: it reads the manifests of config/knative, the binding of config/tenant, and the overlay single-namespace, and
// writes the one page. The reason of a right is the comment above its rule.
//
// Start reading at page in main.go.
//
//go:generate go run . -root ../..
package main
