// Package hadata says what a look at a cluster's high-availability data means, wherever it is kept.
//
// PURE: see package plan. Flink keeps the data in ConfigMaps or in ZooKeeper; a decision asks Data and need not know
// where. It must not decide whether data may go.
//
// Start reading at Data.
package hadata
