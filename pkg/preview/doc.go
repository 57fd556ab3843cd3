// Package preview says what an edit of a resource would do: the operator's own decision over what was seen, in words.
//
// PURE: what was seen with the edited object in the place of the stored one comes in, a View goes out. It is true for
// the moment of the look; what it depends on beyond that is listed.
//
// It must not decide: verdicts follow from the plan that the packages host and bluegreen make of the look. The tests of
// row C3 in test/scenario hold the preview of drawn edits to what the pass that follows does.
//
// Start reading at Deployment in preview.go.
package preview
