package flinkrest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"path"
	"regexp"

	"github.com/kn-flink/kn-flink/pkg/flinkrest/wire"
)

// Jar is one uploaded jar (GET /jars).
type Jar struct {
	// ID is what JarRun and JarDelete ask for: a UUID, "_" and the name.
	ID string `json:"id"`
	// Name is the name it was uploaded with, such as "abc.jar".
	Name string `json:"name"`
	// Uploaded is when.
	Uploaded Millis `json:"uploaded"`
}

type jarList struct {
	Files *[]Jar `json:"files"`
}

func (l *jarList) Check() error { return present("files", l.Files) }

// Jars lists the uploaded jars, newest first. ErrNoEndpoint: web.submit.enable is false, or it is an application
// cluster. The jars are files of the JobManager process and go with it, unless web.upload.dir says otherwise.
func (c *Client) Jars(ctx context.Context) ([]Jar, error) {
	var out jarList
	err := c.conn.Do(ctx, wire.Call{Op: "list jars", Method: http.MethodGet, Path: []string{"jars"}, Out: &out})
	if err != nil {
		return nil, err
	}
	return *out.Files, nil
}

// jarName is what JarUpload accepts: no separator, quote or control character can reach the request's headers.
var jarName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,199}\.jar$`)

// JarUpload streams content to the JobManager as a jar of that name, which must end in ".jar", and returns the jar ID.
// Memory does not grow with the jar. The context alone bounds it: give it a deadline. The same name twice gives two
// jars with two IDs. ErrSource: content failed; the JobManager keeps nothing of an upload that was broken off.
func (c *Client) JarUpload(ctx context.Context, name string, content io.Reader) (string, error) {
	var out uploadAnswer
	k := wire.Call{Op: "upload jar", Method: http.MethodPost, Path: []string{"jars", "upload"}, Out: &out}
	if !jarName.MatchString(name) {
		return "", k.Fail(ErrRejected, 0, fmt.Sprintf("%.80q is not a usable jar name", name), nil)
	}
	var frame bytes.Buffer
	form := multipart.NewWriter(&frame)
	header := textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="jarfile"; filename="` + name + `"`},
		"Content-Type":        {"application/java-archive"},
	}
	if _, err := form.CreatePart(header); err != nil {
		return "", k.Fail(ErrRejected, 0, "the upload cannot be encoded", err)
	}
	source := &watched{reader: content}
	end := "\r\n--" + form.Boundary() + "--\r\n"
	body := io.MultiReader(&frame, source, bytes.NewReader([]byte(end)))
	if err := c.conn.Stream(ctx, k, body, form.FormDataContentType()); err != nil {
		if source.err != nil && ctx.Err() == nil {
			return "", k.Fail(ErrSource, 0, source.err.Error(), source.err)
		}
		return "", err
	}
	return path.Base(out.Filename), nil
}

// watched remembers why its reader failed, to tell the source's failure from Flink's.
type watched struct {
	reader io.Reader
	err    error
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.reader.Read(p)
	if err != nil && err != io.EOF {
		w.err = err
	}
	return n, err
}

type uploadAnswer struct {
	Filename string `json:"filename"`
	Status   string `json:"status"`
}

func (a *uploadAnswer) Check() error {
	if a.Status != "success" {
		return fmt.Errorf("field status is %.40q, want success", a.Status)
	}
	return required("filename", a.Filename)
}

// ClaimMode is who owns the snapshot a job starts from (Flink's RestoreMode, since 2.0 RecoveryClaimMode).
type ClaimMode string

// The claim modes. The empty one leaves the choice to Flink.
const (
	ClaimDefault ClaimMode = ""
	NoClaim      ClaimMode = "NO_CLAIM"
	Claim        ClaimMode = "CLAIM"
	ClaimLegacy  ClaimMode = "LEGACY"
)

// RunRequest starts a job of an uploaded jar (POST /jars/:jarid/run).
type RunRequest struct {
	// Version is the cluster's Flink version; it decides the fields that are sent.
	Version Version
	// EntryClass is the class with main. Empty: the jar's manifest.
	EntryClass string
	// Args are the arguments of main.
	Args []string
	// Parallelism of the job; 0 or less: the cluster's default.
	Parallelism int
	// JobID is the caller's ID for the job, 32 hexadecimal digits. Empty: Flink draws one. An ID that the JobManager runs
	// or has seen end is ErrDuplicateJob.
	JobID string
	// AllowNonRestoredState ignores state that no operator claims; nil: the cluster's default.
	AllowNonRestoredState *bool
	// SavepointPath is what to start from; empty: no state.
	SavepointPath string
	// ClaimMode is sent as claimMode from Flink 1.20 on and as restoreMode before.
	ClaimMode ClaimMode
	// Configuration are Flink options of the job. Clusters before 1.17 know no such field: it is left out for them.
	Configuration map[string]string
}

type runBody struct {
	EntryClass            string            `json:"entryClass,omitempty"`
	Args                  []string          `json:"programArgsList,omitempty"`
	Parallelism           int               `json:"parallelism,omitempty"`
	JobID                 string            `json:"jobId,omitempty"`
	AllowNonRestoredState *bool             `json:"allowNonRestoredState,omitempty"`
	SavepointPath         string            `json:"savepointPath,omitempty"`
	RestoreMode           ClaimMode         `json:"restoreMode,omitempty"`
	ClaimMode             ClaimMode         `json:"claimMode,omitempty"`
	Configuration         map[string]string `json:"flinkConfiguration,omitempty"`
}

func (r RunRequest) body() runBody {
	b := runBody{
		EntryClass: r.EntryClass, Args: r.Args, Parallelism: max(r.Parallelism, 0), JobID: r.JobID,
		AllowNonRestoredState: r.AllowNonRestoredState, SavepointPath: r.SavepointPath,
	}
	if r.Version.AtLeast(1, 20) {
		b.ClaimMode = r.ClaimMode
	} else {
		b.RestoreMode = r.ClaimMode
	}
	if r.Version.AtLeast(1, 17) {
		b.Configuration = r.Configuration
	}
	return b
}

type runAnswer struct {
	JobID string `json:"jobid"`
}

func (a *runAnswer) Check() error { return required("jobid", a.JobID) }

// JarRun starts a job and returns its ID. Flink answers when main has submitted, which may take longer than the
// client's timeout: after ErrUnreachable the run goes on in the JobManager and the job is found by its JobID.
// ErrNotFound: the jar is not there. ErrDuplicateJob: see JobID. ErrRejected: main failed; the message says why.
func (c *Client) JarRun(ctx context.Context, jarID string, request RunRequest) (string, error) {
	var out runAnswer
	err := c.conn.Do(ctx, wire.Call{
		Op: "run jar", Method: http.MethodPost, Path: []string{"jars", jarID, "run"}, Body: request.body(), Out: &out,
	})
	return out.JobID, err
}

type planAnswer struct {
	Plan struct {
		Nodes *[]PlanNode `json:"nodes"`
	} `json:"plan"`
}

func (a *planAnswer) Check() error { return present("plan.nodes", a.Plan.Nodes) }

// Items reads the vertices one by one.
func (a *planAnswer) Items() map[string]func([]byte) error {
	return map[string]func([]byte) error{"plan.nodes": func(text []byte) error {
		if a.Plan.Nodes == nil {
			a.Plan.Nodes = &[]PlanNode{}
		}
		var one planAnswer
		return appended(text, a.Plan.Nodes, &one, func() []PlanNode { return *one.Plan.Nodes })
	}}
}

// JarPlan runs main of an uploaded jar up to its submission, and returns the plan of the job that it would have
// submitted. No job starts; what else main does, it does. Of the request the class, the arguments, the parallelism and
// the configuration count. It may take longer than the client's timeout, like JarRun; nothing comes of it then.
// ErrNotFound: the jar is not there. ErrRejected: main failed; the message says why.
func (c *Client) JarPlan(ctx context.Context, jarID string, request RunRequest) (Plan, error) {
	request = RunRequest{
		Version: request.Version, EntryClass: request.EntryClass, Args: request.Args, Parallelism: request.Parallelism,
		Configuration: request.Configuration,
	}
	var out planAnswer
	err := c.conn.Do(ctx, wire.Call{
		Op: "plan jar", Method: http.MethodPost, Path: []string{"jars", jarID, "plan"}, Body: request.body(), Out: &out,
	})
	if err != nil {
		return Plan{}, err
	}
	return Plan{Nodes: *out.Plan.Nodes}, nil
}

// JarDelete deletes an uploaded jar. Jobs that run from it are not touched. ErrNotFound: it is not there.
func (c *Client) JarDelete(ctx context.Context, jarID string) error {
	return c.conn.Do(ctx, wire.Call{Op: "delete jar", Method: http.MethodDelete, Path: []string{"jars", jarID}})
}
