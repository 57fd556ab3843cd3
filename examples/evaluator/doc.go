// Command evaluator is a metric evaluator for the job autoscaler: jobs are scaled for more load than comes in now.
// Where to start for a plug-in of the autoscaler of your own.
//
// I/O: it serves HTTP at PORT, and answers a question of the autoscaler. evaluator.yaml makes it a Knative Service;
// docs/extend/index.md says how the settings and the jobs name it.
package main
