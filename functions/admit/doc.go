// Command admit is the function behind the admission webhook: it validates and mutates resources on their way into the
// API server. It sleeps at zero pods until an AdmissionReview of the API server wakes it, through the ingress gateway:
//
//	POST /validate/<token>, /mutate/<token>, /validators/<token>, /mutators/<token>
//
// The token cannot be guessed: it stands in Secret flink-admit-tls and in the webhook configurations. Every other path
// is not found.
//
// `admit renew` makes or renews the certificate and the token in place of serving. CronJob flink-admit-certificate runs
// it each day, and a Job of that name after an installation.
//
// I/O, wiring only: it serves HTTP, reads resources and writes its own certificate; packages admission and certs do the
// work. Start reading at newHandler.
package main
