// Package manifests holds the files of config/ and examples/ to their rules: who may do what, what every pod has to
// keep to, what an overlay must not forget. Whether an API server takes them is for test/e2e.
//
// I/O: it reads files of the tree. Start reading at manifests_test.go.
package manifests
