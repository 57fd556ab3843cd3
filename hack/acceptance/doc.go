// Command acceptance writes docs/acceptance.md: what of Flink's life is asserted, by which test. It runs by go
// generate.
//
// I/O: it reads rows.txt and the test files of the tree, and writes the one page.
//
// rows.txt has what the operator has to do, a row each, in our own words. A test that asserts a row says so in a
// comment that begins with the row's name: in the comment of the test, or at the row of its table.
//
//	// T3.5, T3.12: the marker names data that is gone      above a test or a table's row, or at the end of the row's
//	                                                        first line
//
// A row that no test claims and that is not excused fails the run; so does a claim of a row that is not there, one of a
// row that is excused, and one that stands in no test.
//
// Start reading at generate in main.go.
//
//go:generate go run . -root ../..
package main
