package guesttest

// Vertex is one of the job.
const Vertex = "cbc357ccb763df2852fee8c4fc7d55f2"
