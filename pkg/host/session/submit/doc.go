// Package submit carries out the steps of a start on a session cluster: the upload of a jar, and its run.
//
// PURE: see package plan. Start reading at the drawing above CarryStart.
package submit
