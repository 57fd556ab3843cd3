package console

import (
	"context"
)

// shown is what a page shows.
type shown struct {
	// title belongs to the page.
	title string
	// view is the value, as JSON gives it.
	view any
	// moves is whether something on the page is on its way, so that it is asked for soon again.
	moves bool
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
}

// pages is the table of pages. Each is also JSON, for whoever accepts application/json.
var pages = []page{
	{"/jobs", "Jobs", "fleet.html", readFleet},
	{"/snapshots", "Snapshots", "snapshots.html", readSnapshots},
	{"/installation", "Installation", "installation.html", readInstallation},
	{"/ns/{namespace}/{kind}/{name}", "", "job.html", readJob},
	{"/ns/{namespace}/{kind}/{name}/logs", "", "logs.html", readLogs},
	{"/reasons/{reason}", "", "reason.html", readReason},
}
