// Package inspect reads the facts of an installation that package doctor judges.
//
// I/O: it reads the API server as the user, asks it which rights the user has, and has it judge one session job in a
// dry run. It writes nothing but the canary of a probe, and deletes that. It reads no Secret.
//
// It must not judge: that is package doctor.
//
// Start reading at Look.
package inspect
