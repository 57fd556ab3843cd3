package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A session job is started in three steps, each found again by whoever looks after a crash:
//
//	UploadJar   GET /jars lists <operation>.jar
//	RunJar      GET /jobs/overview lists our job ID; a second run of it is refused by Flink
//	DeleteJar   GET /jars does not list it any more
//
// A slow download must hold up no pass, so a pass asks for one (RequestUpload) where another function carries it out.

// RequestUpload asks the function that uploads jars for a pass of the round's resource. Nothing is lost when that does
// not reach it: the request is made again.
type RequestUpload struct{ quiet }

// UploadJar streams a jar to the JobManager, which lists it under Name then. It may take minutes. A second upload gives
// a second jar of the same name, which does no harm.
type UploadJar struct {
	quiet
	// Endpoint is where the JobManager answers. Its Timeout does not bound an upload: the budget of the pass does.
	Endpoint Endpoint
	// Name ends in ".jar": the operation ID of the start, so that a jar tells what it is for.
	Name string
	// URI is spec.job.jarURI; empty uploads an empty jar, for code that is on the cluster's class path.
	URI string
	// Header are the HTTP headers of the download, by name. They are secrets.
	Header map[string]string
}

// RunJar starts the job of an uploaded jar (POST /jars/:jarid/run). Flink answers when main has submitted the job,
// which may take longer than the call: the job is found by its ID then. A job that Flink knows already is no failure.
type RunJar struct {
	quiet
	// Endpoint is where the JobManager answers.
	Endpoint Endpoint
	// JarID is the ID of the uploaded jar.
	JarID string
	// Version is the cluster's Flink version, such as 1.20; it decides how the request is written.
	Version string
	// JobID is the ID that the job gets, 32 hexadecimal digits. It is stored in status before.
	JobID string
	// EntryClass is the class with main; empty: the jar's manifest names it.
	EntryClass string
	// Args are the arguments of main. They may have secrets.
	Args []string
	// Parallelism of the job; 0 leaves it to Flink.
	Parallelism int32
	// SavepointPath is the state to start from; empty: none.
	SavepointPath string
	// AllowNonRestoredState ignores state that no operator claims; nil leaves it to Flink.
	AllowNonRestoredState *bool
	// Configuration are the Flink options of the job. They may have secrets.
	Configuration map[string]string
}

// DeleteJar deletes an uploaded jar (DELETE /jars/:jarid). Jobs that run from it are not touched; one that is not there
// is no failure, and none that cannot be deleted: nothing depends on it.
type DeleteJar struct {
	quiet
	// Endpoint is where the JobManager answers.
	Endpoint Endpoint
	// JarID is the ID of the uploaded jar.
	JarID string
}

func (RequestUpload) String() string { return "request upload" }
func (a UploadJar) String() string {
	if len(a.Header) == 0 {
		return "upload jar " + a.Name
	}
	// In brackets: what follows "X-Key:" would be hidden like the value of a header.
	return fmt.Sprintf("upload jar %s (headers %s)", a.Name, strings.Join(slices.Sorted(maps.Keys(a.Header)), ", "))
}
func (a RunJar) String() string    { return fmt.Sprintf("run jar %s as job %s", a.JarID, a.JobID) }
func (a DeleteJar) String() string { return "delete jar " + a.JarID }
