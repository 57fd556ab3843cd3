// Package serving stands for Knative Serving: it turns Knative Services into Deployments, keeps as many pods as
// requests need, and holds requests until one is there.
//
// I/O: it reads Knative Services and their pods, writes Deployments and status, and forwards requests to pods.
//
//	Service ──reconcile──► Deployment of the revision ──kubelet──► pods
//	                             ▲ replicas                          ▲
//	                      scale (every 2 s, from 0 at once)          │
//	request ──► ServeHTTP: count, wait for a pod with a free slot ───┘
//
// Pods are the kubelet's: volumes, service account, environment, restarts, back-off, SIGTERM and logs are what they are
// on a cluster. What stands in for Serving's activator, queue proxy and autoscaler is here: containerConcurrency,
// timeoutSeconds, window, target, min-scale and max-scale count; a new revision starts one pod and gets the requests
// when that one answers.
//
// It must not know events, nor what a function does.
//
// Invariants: a request is never sent to a pod that has not answered on its port, nor to more than containerConcurrency
// at once; a request that a pod may have seen is never sent again.
//
// Start reading at Server, then function.go, activator.go; scale.go is pure.
package serving
