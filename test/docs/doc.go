// Package docs reads the pages of docs/ and README.md: their fences, and how each of them is tested.
//
// A fence of a page says behind its language how it is tested:
//
//	test          run by make docs-test, on the local platform; with "fails" the last command has to fail. Of YAML:
//	              applied there as a dry run, with admission
//	by="…"        run by another test, which has to be there: a target of make, a folder of tests, or a go test -run
//	as="…"        the same commands are run for another page, which has them
//	norun="…"     not run, and why
//	settings      lines of config.yaml of the operator's settings: each option has to exist
//	part=<Kind>   an extract of a resource: laid over a whole one and applied as a dry run
//	schema        a JSON schema
//
// A fence "output" after one that is tested is what its last command prints; "…" stands for any text in a line, and a
// line of "…" for any lines. A comment "<!-- test: COMMAND -->" is run at its place and not shown; "<!-- name: X -->"
// says what <name> is on the page.
//
// I/O: it reads these files. Its tests hold links, anchors, paths, targets, options and the order of the site.
//
// Start reading at Read.
package docs
