// Command mutants runs the tests of a mutant without compiling it: hack/mutation.sh puts it between gremlins and
// `go test`.
//
// `mutants prepare FOLDER` compiles the tests that hold a package once, with all its mutants in it, each behind a
// number that an environment variable chooses. `mutants test MUTATED` finds which token gremlins changed, and
// runs those tests with its number, the quick ones first, until one fails. It exits with 1 for a mutant that a test
// noticed, 2 for one that does not compile, 0 for one that survives, and 3 for one that has no number: that one is to
// be compiled.
//
// I/O: it reads the package, runs go and the tests, and writes to the folder of -work.
//
// Start reading at number in switches.go.
package main
