// Package authority issues certificates for tests.
//
// I/O: none. It must not be used outside of tests: its keys are as good as any, and nobody keeps them. Start reading at
// Issue.
package authority
