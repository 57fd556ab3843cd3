// Package backoff is the budget of everything that is tried again: the first attempts follow soon upon one another, the
// later ones ever more seldom, and none is given up.
//
//	what                                        counted in       pauses            begins anew with
//	a stop with savepoint, or a cancellation    status.retry     10 s to 10 min    another generation, or when it came
//	                                                                               about
//	a savepoint before a deletion               status.retry     10 s to 10 min    -; its deadline ends it
//	the disposal of a FlinkStateSnapshot        status.retry     10 s to 10 min    -; its deadline ends it
//	a restart of a job that ended or is not     status.restarts  0, 10 s to        half an hour without one, or another
//	                                                                               spec that is
//	healthy, of a JobManager that is lost                        10 min            started
//	a change of an object that is refused for   status.refused   2 s to 10 min,    another generation, or when it was
//	now                                                          after 10 s at     taken
//	                                                             each look
//	an attempt of a FlinkStateSnapshot          status.failures  10 s to 24 h      another generation; its backoffLimit
//	                                                                               ends it
//
// An attempt that has begun is no proof: its count stays until it came about. PURE: see package plan. Start reading at
// After.
package backoff
