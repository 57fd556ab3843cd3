// Package quarantine notes what a process is at work on, so that what it dies of does not kill it for ever.
//
// Leaf, I/O: it reads and writes two small files of a directory that a restarted container finds again, and nothing
// else. What is at work has a place in the first one, written before the work and cleared after it, by one system call
// each: a process that is killed leaves it there. The next process counts that in the second file.
//
//	deaths at work   the next time
//	none             at work beside others
//	one              alone, so that the next death is no other's
//	two              not at all, until its generation is another
//
// What comes to its end is forgotten. A nil Ward notes nothing. Start reading at Open.
package quarantine
