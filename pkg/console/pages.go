package console

import (
	"context"
	"time"
)

// shown is what a page shows.
type shown struct {
	// title belongs to the page.
	title string
	// view is the value, as JSON gives it.
	view any
	// moves is whether something on the page is on its way, so that it is asked for soon again.
	moves bool
	// still is whether the page stays as it is, and is not asked for again.
	still bool
	// told is the state in a few words, which a reader who does not see is told when it changes.
	told string
}

// page is one row of the table of pages.
type page struct {
	// pattern is that of its address.
	pattern string
	// name is its word in the navigation; empty where it has none.
	name string
	// body is the file of its template.
	body string
	// read reads what it shows.
	read func(context.Context, *visit) (shown, error)
	// patience bounds what one answer may take; 0 is answerTime.
	patience time.Duration
}

// planBody is the template of the plan of an edit.
const planBody = "plan.html"

// ofResource is the address of the page of one resource.
const ofResource = "/ns/{namespace}/{kind}/{name}"

// pages is the table of pages. Each is also JSON, for whoever accepts application/json.
var pages = []page{
	{pattern: "/jobs", name: "Jobs", body: "fleet.html", read: readFleet},
	{pattern: "/snapshots", name: "Snapshots", body: "snapshots.html", read: readSnapshots},
	{pattern: "/installation", name: "Installation", body: "installation.html", read: readInstallation},
	{pattern: ofResource, body: "job.html", read: readJob},
	{pattern: ofResource + "/logs", body: "logs.html", read: readLogs},
	{pattern: ofResource + "/history", body: "history.html", read: readHistory},
	{pattern: ofResource + "/load", body: "load.html", read: readLoad, patience: plannedTime},
	{pattern: ofResource + "/spec", body: "spec.html", read: readSpec},
	{pattern: ofResource + "/plan", body: planBody, read: readPlan},
	{pattern: ofResource + "/{verb}", body: "planned.html", read: readPlanned, patience: plannedTime},
	{pattern: "/reasons/{reason}", body: "reason.html", read: readReason},
}
