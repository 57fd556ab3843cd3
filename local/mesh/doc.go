// Package mesh stands for Knative on one machine: sources, Brokers, Triggers and Knative Services, as the objects in the API
// server say.
//
// Start reading at Start.
package mesh
