// Command admit is the function behind the admission webhook: it validates and mutates resources on their way into the
// API server and renews the certificate that it is reached under. It sleeps at zero pods until one of these wakes it:
//
//	POST /validate, /mutate   AdmissionReviews of the API server, through the ingress gateway
//	POST /renew               the daily ping of PingSource flink-admit-certificate, a CloudEvent
//
// `admit ping URL` sends one such ping instead of serving; the Job that makes the first certificate runs it.
//
// I/O, wiring only: it serves HTTP, reads resources and writes its own certificate; packages admission and certs do the
// work. Everything here is idempotent and changes no user's resource, so it needs no protection from being called by
// others in the cluster. Start reading at newHandler.
package main
