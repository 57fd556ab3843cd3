// Package judged reads the resources that the stories of test/scenario have recorded, in each situation once.
//
// Leaf, I/O: it reads two files. Start reading at Read.
package judged
