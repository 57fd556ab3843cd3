// Package docs runs the commands of README.md and docs/ on the local platform, with real Flink, and applies their
// manifests there: `make docs-test`. How a fence says what is done with it is in test/docs.
//
// I/O: a platform, and bash and kubectl as a reader has them. Its tests have the build tag docs.
//
// It must not know what a page says. Each page has a namespace and a working directory of its own: a copy of examples/
// whose paths are those of this machine beside links to the checkout.
//
// Start reading at TestPages.
package docs
