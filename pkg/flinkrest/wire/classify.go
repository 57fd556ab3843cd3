package wire

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/flinkrest/javatrace"
)

// errorBody is the body of every failure that Flink itself reports (ErrorResponseBody).
type errorBody struct {
	Errors []string `json:"errors"`
}

// refused turns an answer that is not a success into an error.
func (k Call) refused(status int, answer []byte) *Error {
	var body errorBody
	if err := json.Unmarshal(answer, &body); err != nil || len(body.Errors) == 0 {
		return k.Fail(
			ErrNotFlink, status, "no list of errors in the body: "+javatrace.Summary(javatrace.Printable(answer)), nil,
		)
	}
	text := strings.Join(body.Errors, "\n")
	return k.Fail(classify(status, text), status, javatrace.Summary(text), nil)
}

// classify names the kind of a failure that Flink reports. The first row that fits decides.
//
//	status   message contains                                            kind
//	404      Unable to load requested file | Not found: /                ErrNoEndpoint
//	404      Checkpointing has not been enabled | is not enabled for     ErrNoCheckpointing
//	404      (anything)                                                  ErrNotFound
//	any      already reached another terminal state                      ErrTerminal
//	any      DuplicateJobSubmissionException                             ErrDuplicateJob
//	any      RestHandlerException: Jar file … | File … does not exist    ErrNotFound
//	5xx      FlinkJobNotFoundException                                   ErrNotFound
//	408,503  (anything)                                                  ErrUnavailable
//	any      an exception of a JobManager that is not ready              ErrUnavailable
//	any      a call inside Flink that was not answered in time           ErrServer
//	5xx      an exception about the request                              ErrRejected
//	4xx      (anything)                                                  ErrRejected
//	other    (anything)                                                  ErrServer
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
	// The router's fallback: without and with the static files of the web page.
	{is(http.StatusNotFound), []string{"Unable to load requested file", "Not found: /"}, ErrNoEndpoint},
	{
		is(http.StatusNotFound), []string{"Checkpointing has not been enabled", "Checkpointing is not enabled for"},
		ErrNoCheckpointing,
	},
	{is(http.StatusNotFound), nil, ErrNotFound},
	{between(400, 599), []string{"already reached another terminal state"}, ErrTerminal},
	{between(400, 599), []string{"DuplicateJobSubmissionException"}, ErrDuplicateJob},
	// JarHandlerUtils answers 500 and JarDeleteHandler 400 for a jar that is not there.
	{between(400, 599), []string{"RestHandlerException: Jar file ", "RestHandlerException: File "}, ErrNotFound},
	// The paths that go past the cache of execution graphs, such as resource-requirements.
	{between(500, 599), []string{"FlinkJobNotFoundException"}, ErrNotFound},
	{is(http.StatusRequestTimeout, http.StatusServiceUnavailable), nil, ErrUnavailable},
	{between(400, 599), notReady, ErrUnavailable},
	{between(400, 599), timedOut, ErrServer},
	{between(500, 599), badRequest, ErrRejected},
	{between(400, 499), nil, ErrRejected},
}

// notReady are the exceptions of a JobManager that starts, recovers, sets a job up, or loses leadership.
var notReady = []string{
	"UnavailableDispatcherOperationException",
	"EndpointNotStartedException",
	"FencingTokenException",
	"LeaderRetrievalException",
	"RecipientUnreachableException",
}

// timedOut are the exceptions of a call from one part of Flink to another that was not answered in time: what was asked
// for may be carried out all the same.
var timedOut = []string{"java.util.concurrent.TimeoutException", "AskTimeoutException"}

// badRequest are the failures that Flink reports as its own though only another request can help.
var badRequest = []string{
	"ProgramInvocationException", // no such entry class
	"UnsupportedOperationException: The DefaultScheduler does not support", // resource requirements, see FLIP-291
	"Flink does not support triggering incremental checkpoint explicitly",  // FLINK-33723
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
