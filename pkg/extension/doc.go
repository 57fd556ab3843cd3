// Package extension asks the validators and mutators that a user names in the settings: any address that answers an
// AdmissionReview. admit asks them with the API server's own question, a pass with one about a spec that it has yet to
// accept. Plug-ins of the job autoscaler are asked by the same way, with questions of their own.
//
// Leaf, I/O: it posts, and keeps the webhooks by which the API server asks about the kinds of the extensions. It
// decides nothing: what an answer means for a resource is said in package plan, and for a review in package admission.
// Start reading at Asker.Validate.
package extension
