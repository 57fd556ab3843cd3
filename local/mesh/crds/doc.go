// Package crds has the kinds of Knative that the files of config/knative use, as far as an API server has to know them:
// names, scope, status, and the columns that kubectl shows.
//
// PURE. Schemas are open: Knative's own validation is in its webhooks, which do not run here. What the mesh cannot read
// it says in the object's status.
//
// Start reading at All.
package crds
