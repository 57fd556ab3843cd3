// Package rehearsal decides, before anything that runs is stopped, whether the API server would take what is to be
// started instead: which objects it is shown, and what its answers mean together.
//
// PURE: it shows nothing itself. Package apply sends each Piece as a server-side dry run, and gives the answers to
// Judge.
//
// Invariants:
//   - what is not known is neither a refusal nor a permission;
//   - a quota does not refuse what fits once the running cluster's own objects are gone.
//
// Start reading at Pieces in piece.go and Judge in judge.go.
package rehearsal
