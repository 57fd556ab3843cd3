// Package crd tests what the API server makes of our CustomResourceDefinitions
// and admission policies, with the API server's own libraries: which resources
// are accepted, what of them is stored, which rules refuse what.
//
// I/O: it reads config/crds and testdata, and writes nothing.
//
// It holds tests only. Start reading at accept_test.go; server_test.go is the
// part of the API server that the tests need.
package crd
