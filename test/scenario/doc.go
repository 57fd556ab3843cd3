// Package scenario proves whole passes: the functions' handlers over a model Kubernetes cluster with a model Flink in
// it.
//
// I/O: none outside the process. Events come from the model API server's feed and from what the functions post to a
// Broker in the test; they are delivered by the filters of config/knative. Ticks come from the PingSource's schedule in
// simulated time. No real clock is waited for.
//
// A scenario is a Go function that edits resources, lets time pass and says what a user sees in the end. Each one is
// run again with a crash after each effect, with lost, doubled, late and reversed events, and with a whole second pass
// between two requests of the first; the end must be the same, and the models' violations must be none. A random run
// draws commands instead: edits of spec and options, snapshots, rollbacks, redeploys, faults. A failing one prints a
// script that KNFLINK_SCENARIO_SCRIPT replays. Calls have real deadlines, so a machine that stands still for seconds
// can fail a run that passes when it is carried out again.
//
// It must not stub anything of the functions: what stands in is the cluster, the Brokers and Flink.
//
// Settings: KNFLINK_SCENARIO_POINTS is how many points of each kind are tried for each scenario, KNFLINK_SCENARIO_STEPS
// how many random commands, KNFLINK_SCENARIO_SEED what they are drawn from, KNFLINK_SCENARIO_RARE which rare ones
// alone, KNFLINK_SCENARIO_FAILURES how many runs may fail before the draw ends, KNFLINK_SCENARIO_JUDGED at each how
// many moments a decision is judged on its own (what becomes of jobs is judged at all), and KNFLINK_SCENARIO_SCRIPT the
// file of commands to replay, of a session job KNFLINK_SCENARIO_SESSION_SCRIPT, of a pair KNFLINK_SCENARIO_PAIR_SCRIPT.
// KNFLINK_PLAN_EDITS is how many drawn edits are compared with their preview.
//
// Start reading at harness in harness_test.go, then at scenarios_test.go.
package scenario
