// Command confrecord records what Flink's own loaders read from the configuration files that flinkconf.Files prints:
// each release line from 1.15 to 2.3, each text of texts.go as a value and as a key. It writes
// pkg/flinkconf/testdata/loaded.json, which a test there holds the printing and the refusals to:
//
//	go run ./test/confrecord -root .
//
// I/O: Maven brings the jars, Java 11 or later runs them. Start reading at record in main.go.
package main
