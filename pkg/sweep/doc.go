// Package sweep is what the observing function does: it looks at resources, asks for a pass where one would do or
// record something, and gives the clock the pace that the fleet needs.
//
// I/O, reads only, but for the clock and the requests that it posts. It decides with the same pure core as the pass,
// and stops after the plan. A tick at the fast pace looks at the fast resources only; once a minute a tick is the full
// sweep, page by page, and beyond one page it posts one shard event per page to itself, so that Knative spreads the
// fleet over pods. Start reading at Tick.
package sweep
