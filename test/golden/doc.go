// Package golden compares what a test printed with a file.
//
// Leaf, I/O: it reads the file and, where it is told to, writes it. Start reading at Compare.
package golden
