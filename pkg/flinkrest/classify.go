package flinkrest

import (
	"encoding/json"
	"net/http"
	"strings"
)

// errorBody is the body of every failure that Flink itself reports (ErrorResponseBody).
type errorBody struct {
	Errors []string `json:"errors"`
}

// refused turns an answer that is not a success into an error.
func (k call) refused(status int, answer []byte) *Error {
	var body errorBody
	if err := json.Unmarshal(answer, &body); err != nil || len(body.Errors) == 0 {
		return k.fail(ErrNotFlink, status, "no list of errors in the body: "+Summary(printable(answer)), nil)
	}
	text := strings.Join(body.Errors, "\n")
	return k.fail(classify(status, text), status, Summary(text), nil)
}

// classify names the kind of a failure that Flink reports. The first row that fits decides.
//
//	status  message contains                                        kind
//	404     Unable to load requested file | Not found: /            ErrNoEndpoint
//	404     Checkpointing has not been enabled                      ErrNoCheckpointing
//	404     (anything)                                              ErrNotFound
//	any     already reached another terminal state                  ErrTerminal
//	any     DuplicateJobSubmissionException                         ErrDuplicateJob
//	4xx     Jar file … does not exist | File … does not exist in    ErrNotFound
//	500     FlinkJobNotFoundException                               ErrNotFound
//	408,503 (anything)                                              ErrUnavailable
//	5xx     one of the words of unavailability                      ErrUnavailable
//	4xx     (anything)                                              ErrRejected
//	other   (anything)                                              ErrServer
func classify(status int, text string) error {
	for _, row := range classification {
		if row.fits(status, text) {
			return row.kind
		}
	}
	return ErrServer
}

type classRow struct {
	status func(int) bool
	words  []string // one of them must be in the text; none: any text
	kind   error
}

func (r classRow) fits(status int, text string) bool {
	return r.status(status) && (len(r.words) == 0 || containsAny(text, r.words))
}

var classification = []classRow{
	// The router's fallback, with and without the web UI's static files.
	{is(http.StatusNotFound), []string{"Unable to load requested file", "Not found: /"}, ErrNoEndpoint},
	{is(http.StatusNotFound), []string{"Checkpointing has not been enabled"}, ErrNoCheckpointing},
	{is(http.StatusNotFound), nil, ErrNotFound},
	{between(400, 599), []string{"already reached another terminal state"}, ErrTerminal},
	{between(400, 599), []string{"DuplicateJobSubmissionException"}, ErrDuplicateJob},
	// JarRunHandler and JarDeleteHandler answer 400 for a jar that is not there.
	{between(400, 499), []string{"RestHandlerException: Jar file ", "RestHandlerException: File "}, ErrNotFound},
	{is(http.StatusInternalServerError), []string{"FlinkJobNotFoundException"}, ErrNotFound},
	{is(http.StatusRequestTimeout, http.StatusServiceUnavailable), nil, ErrUnavailable},
	{between(500, 599), unavailability, ErrUnavailable},
	{between(400, 499), nil, ErrRejected},
}

// unavailability are the exceptions that a JobManager answers 500 with while it starts, recovers or loses leadership.
var unavailability = []string{
	"UnavailableDispatcherOperationException",
	"EndpointNotStartedException",
	"FencingTokenException",
	"LeaderRetrievalException",
	"RecipientUnreachableException",
}

func is(statuses ...int) func(int) bool {
	return func(status int) bool {
		for _, s := range statuses {
			if s == status {
				return true
			}
		}
		return false
	}
}

func between(low, high int) func(int) bool {
	return func(status int) bool { return low <= status && status <= high }
}

func containsAny(text string, words []string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
