// Package gitops has Argo CD's and Flux's own code judge what people have under GitOps: the health of resources in
// every situation that test/scenario has recorded, what they would set back of what the functions write, and the
// examples of config/gitops. It is a module of its own: both are large, and nothing else needs them.
//
// I/O: it reads config/ and test/scenario/testdata, and runs the API server of local/ and kubectl.
//
// Argo CD's part that runs health scripts can only be built with its API's code and another Kubernetes; package gitops
// runs the scripts as that part does, in the same interpreter. All else is code of theirs.
//
// Start reading at TestEverySituationIsJudged.
package gitops
