package console

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/doctor"
	"github.com/kn-flink/kn-flink/pkg/doctor/inspect"
	"github.com/kn-flink/kn-flink/pkg/redact"
	"github.com/kn-flink/kn-flink/pkg/view"
)

// examinedFor is how long the report of an installation is shown before it is read again.
const examinedFor = time.Minute

// Installation is the page of the operator itself: the checks of kn flink doctor that only read, and that do not read
// all resources.
type Installation struct {
	doctor.Report `json:",inline"`
	// System is the namespace of the installation.
	System string `json:"system"`
	// Left names the checks that only kn flink doctor makes.
	Left []string `json:"left,omitempty"`
}

// Of are the findings of a severity.
func (i Installation) Of(s string) (lines []doctor.Line) {
	for _, l := range i.Lines {
		if string(l.Severity) == s {
			lines = append(lines, l)
		}
	}
	return lines
}

// shownRows are the checks that the page makes, and the names of those that it leaves out: a dry run is a request to
// the webhook, which wakes a function, and the list of all resources is too much for a page.
func shownRows() (rows []doctor.Row, left []string) {
	for _, r := range doctor.Installed {
		if slices.Contains(r.Reads, doctor.Webhook) || slices.Contains(r.Reads, doctor.Jobs) ||
			slices.Contains(r.Reads, doctor.Rights) {
			left = append(left, r.Name)
			continue
		}
		rows = append(rows, r)
	}
	return rows, left
}

func readInstallation(ctx context.Context, v *visit) (shown, error) {
	asked := doctor.Asked{System: v.options.System, Version: v.options.Version}
	now := func() time.Time { return v.now }
	page, err := share(v.shared, sharedKey{v.key, "installation"}, now, examinedFor, func() (Installation, error) {
		rows, left := shownRows()
		found, err := inspect.Look(ctx, v.Client, asked, doctor.Needs(rows), now)
		if err != nil {
			return Installation{}, err
		}
		report := doctor.Judge(rows, found, asked)
		report.TypeMeta = metav1.TypeMeta{APIVersion: view.Version, Kind: "Installation"}
		for i, l := range report.Lines {
			report.Lines[i].Text = redact.Text(l.Text)
			for n := range l.Do {
				report.Lines[i].Do[n] = redact.Text(l.Do[n])
			}
		}
		return Installation{report, asked.System, left}, nil
	})
	return shown{title: "Installation", view: page, told: fmt.Sprintf("%d checks fail", page.Failed())}, err
}
