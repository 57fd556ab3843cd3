package apply

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"

	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/jarsource"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

const jobID = "aa000000000000000000000000000001"

// jobManager answers each request as handle says, and keeps what it was asked.
type jobManager struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func newJobManager(t *testing.T, handle http.HandlerFunc) *jobManager {
	t.Helper()
	jm := &jobManager{}
	jm.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		jm.mu.Lock()
		jm.asked = append(jm.asked, r.Method+" "+r.URL.Path)
		jm.mu.Unlock()
		handle(w, r)
	}))
	t.Cleanup(jm.Close)
	return jm
}

// requests are what it was asked.
func (jm *jobManager) requests() []string {
	jm.mu.Lock()
	defer jm.mu.Unlock()
	return slices.Clone(jm.asked)
}

// recorded answers as a real Flink did; the recordings are those of package flinkrest.
func recorded(t *testing.T, version, name string) http.HandlerFunc {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../flinkrest/testdata", version, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Status int             `json:"status"`
		Answer json.RawMessage `json:"answer"`
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return func(w http.ResponseWriter, request *http.Request) {
		_, _ = io.Copy(io.Discard, request.Body) // so that the connection stays usable
		w.WriteHeader(r.Status)
		_, _ = w.Write(r.Answer)
	}
}

// jarCarrier is an Executor that fetches by rules and reaches JobManagers directly.
func jarCarrier(options map[string]string) *Executor {
	return &Executor{
		Kube: openStart{operation: "op"},
		Jars: flinkconf.NewOperator(options).JarRules(),
		Flink: func(e plan.Endpoint) (*flinkrest.Client, error) {
			return flinkrest.New(flinkrest.Options{BaseURL: e.URL, Timeout: e.Timeout})
		},
	}
}

// fetching are the options of a carrier that may fetch from a server of the test, and from no other that is not public.
func fetching(more ...string) map[string]string {
	const prefix = "kubernetes.operator.user.artifacts."
	options := map[string]string{prefix + "allowed-schemes": "http", prefix + "allowed-hosts": "127.0.0.1"}
	for i := 0; i < len(more); i += 2 {
		options[prefix+more[i]] = more[i+1]
	}
	return options
}

func (c *Executor) act(ctx context.Context, action plan.Action) error {
	return c.do(ctx, &round{}, action)
}

func wantFailure(t *testing.T, err error, kind fail.Kind, reason string, words ...string) {
	t.Helper()
	if fail.KindOf(err) != kind || fail.ReasonOf(err) != reason && kind != fail.None {
		t.Errorf("got %s %s (%v), want %s %s", fail.KindOf(err), fail.ReasonOf(err), err, kind, reason)
	}
	for _, word := range words {
		if !strings.Contains(fail.Message(err), word) {
			t.Errorf("%q does not have %q", fail.Message(err), word)
		}
	}
	if strings.Contains(fail.Message(err), "swordfish") {
		t.Errorf("%q has a secret", fail.Message(err))
	}
}

// takeJar reads an upload as Flink does and keeps the file.
func takeJar(t *testing.T, name, content *string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		parts, err := r.MultipartReader()
		if err != nil {
			t.Error(err)
			return
		}
		part, err := parts.NextPart()
		if err != nil {
			return // broken off
		}
		text, err := io.ReadAll(part)
		if err != nil {
			return // broken off
		}
		*name, *content = part.FileName(), string(text)
		_, _ = w.Write([]byte(`{"filename":"/upload/1_` + part.FileName() + `","status":"success"}`))
	}
}

func TestAJarIsUploaded(t *testing.T) {
	var name, content, secret string
	jm := newJobManager(t, takeJar(t, &name, &content))
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secret = r.Header.Get("Authorization")
		_, _ = io.WriteString(w, "PK the jar")
	}))
	t.Cleanup(source.Close)
	err := jarCarrier(fetching()).act(t.Context(), plan.UploadJar{
		// This timeout bounds calls, not uploads.
		Endpoint: plan.Endpoint{URL: jm.URL, Timeout: time.Nanosecond}, Name: "op.jar", URI: source.URL + "/job.jar",
		Header: map[string]string{"Authorization": "Bearer swordfish"},
	})
	if err != nil || name != "op.jar" || content != "PK the jar" || secret != "Bearer swordfish" {
		t.Errorf("%v: got %q with %q, asked for with %q", err, name, content, secret)
	}
}

func TestNoURIUploadsAnEmptyJar(t *testing.T) {
	var name, content string
	jm := newJobManager(t, takeJar(t, &name, &content))
	want, _ := io.ReadAll(jarsource.Empty())
	upload := plan.UploadJar{Endpoint: plan.Endpoint{URL: jm.URL}, Name: "op.jar"}
	if err := jarCarrier(nil).act(t.Context(), upload); err != nil || content != string(want) || name != "op.jar" {
		t.Errorf("%v: got %q with %q", err, name, content)
	}
}

// What the source says about a jar is what status shows; the JobManager is not to blame.
func TestAnUploadFails(t *testing.T) {
	jar := func(w http.ResponseWriter) { _, _ = io.WriteString(w, "PK"+strings.Repeat("x", 1<<20)) }
	good := func(w http.ResponseWriter, _ *http.Request) { jar(w) }
	taken := func(t *testing.T) http.HandlerFunc { return recorded(t, "2.2", "jar-upload") }
	rows := map[string]struct {
		reason  string
		source  http.HandlerFunc
		flink   func(t *testing.T) http.HandlerFunc
		options map[string]string
		header  map[string]string
		kind    fail.Kind
		why     string
		words   []string
	}{
		"404": {
			reason: "the user must put it there", source: http.NotFound, flink: taken, options: fetching(), kind: fail.Denied,
			why: "JarNotFound", words: []string{"fetch jar http://127.0.0.1", "response 404"},
		},
		"503": {
			reason: "it may pass", source: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, flink: taken,
			options: fetching(), kind: fail.Transient, why: "JarServerFailed",
		},
		"a private address": {
			reason: "it is in the cluster", source: good, flink: taken, options: fetching("allowed-hosts", ""),
			kind: fail.Denied, why: "JarHostRestricted",
		},
		"a redirect to a private address": {
			reason: "the first host decides nothing", flink: taken, options: fetching(), kind: fail.Denied,
			why: "JarHostRestricted", words: []string{"redirected to http://169.254.169.254"},
			source: func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
			},
		},
		"too large, which shows on the way": {
			reason: "the bound holds where no length was told", flink: taken, options: fetching("max-size", "100 kb"),
			kind: fail.Denied, why: "JarTooLarge",
			source: func(w http.ResponseWriter, _ *http.Request) { w.(http.Flusher).Flush(); jar(w) },
		},
		"it breaks off": {
			reason: "half a jar is no jar", flink: taken, options: fetching(), kind: fail.Transient, why: "Unreachable",
			source: func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "9999999"); jar(w) },
		},
		"a header that cannot be sent": {
			reason: "the user must correct it", source: good, flink: taken, options: fetching(), kind: fail.Invalid,
			header: map[string]string{"Authorization": "swordfish\n"}, why: "JarURIInvalid",
		},
		"an option that cannot be read": {
			reason: "a bound that nobody knows is no bound", source: good, flink: taken,
			options: fetching("max-size", "large"), kind: fail.Denied, why: "JarOptionInvalid",
			words: []string{"user.artifacts.max-size", "large"},
		},
		"Flink refuses it": {
			reason: "the same jar is refused again", source: good, options: fetching(), kind: fail.Denied,
			flink: func(t *testing.T) http.HandlerFunc { return recorded(t, "2.2", "jar-upload-not-a-jar") },
			why:   "JarUploadRefused", words: []string{"Only Jar files are allowed"},
		},
		"an application cluster": {
			reason: "it has its own job", source: good, options: fetching(), kind: fail.Denied,
			flink: func(t *testing.T) http.HandlerFunc { return recorded(t, "2.2", "application-jar-run") },
			why:   "JarsNotServed", words: []string{"web.submit.enable"},
		},
		"Flink breaks off": {
			reason: "another JobManager comes", source: good, options: fetching(), kind: fail.Transient,
			flink: func(*testing.T) http.HandlerFunc {
				return func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
			},
			why: "FlinkUnreachable",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			jm, source := newJobManager(t, row.flink(t)), httptest.NewServer(row.source)
			t.Cleanup(source.Close)
			err := jarCarrier(row.options).act(t.Context(), plan.UploadJar{
				Endpoint: plan.Endpoint{URL: jm.URL}, Name: "op.jar", URI: source.URL + "/job.jar?token=swordfish",
				Header: row.header,
			})
			wantFailure(t, err, row.kind, row.why, row.words...)
		})
	}
}

// silent is a source that says nothing more after its first bytes, and then calls began.
func silent(t *testing.T, began func()) *httptest.Server {
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "PK")
		w.(http.Flusher).Flush()
		began()
		<-r.Context().Done()
	}))
	t.Cleanup(source.Close)
	return source
}

// A source that says nothing more ends with the pass, not with the call's 10 s and not never.
func TestAnUploadEndsWithItsContext(t *testing.T) {
	jm := newJobManager(t, recorded(t, "2.2", "jar-upload"))
	ctx, cancel := context.WithCancel(t.Context())
	upload := plan.UploadJar{Endpoint: plan.Endpoint{URL: jm.URL}, Name: "op.jar", URI: silent(t, cancel).URL}
	if err := jarCarrier(fetching()).act(ctx, upload); fail.KindOf(err) != fail.Transient {
		t.Errorf("got %v, want a transient failure", err)
	}
}

func TestASlowUploadLeavesTimeToSaySo(t *testing.T) {
	jm := newJobManager(t, recorded(t, "2.2", "jar-upload"))
	ctx, cancel := context.WithTimeout(t.Context(), showTime+200*time.Millisecond)
	defer cancel()
	upload := plan.UploadJar{Endpoint: plan.Endpoint{URL: jm.URL}, Name: "op.jar", URI: silent(t, func() {}).URL}
	wantFailure(t, jarCarrier(fetching()).act(ctx, upload), fail.Transient, fail.ReasonTimeout, "not uploaded in time")
	if ctx.Err() != nil {
		t.Error("the pass has no time left to store what failed")
	}
}

func TestAJarIsRun(t *testing.T) {
	var body map[string]any
	jm := newJobManager(t, func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, `{"jobid":"`+jobID+`"}`)
	})
	yes := true
	err := jarCarrier(nil).act(t.Context(), plan.RunJar{
		Endpoint: plan.Endpoint{URL: jm.URL}, JarID: "1_op.jar", Version: "1.20", JobID: jobID, EntryClass: "a.Main",
		Args: []string{"--x", "1"}, Parallelism: 2, SavepointPath: "s3://s/1", AllowNonRestoredState: &yes,
		Configuration: map[string]string{"a": "b"},
	})
	if asked := jm.requests(); err != nil || len(asked) != 1 || asked[0] != "POST /v1/jars/1_op.jar/run" {
		t.Errorf("%v after %v", err, asked)
	}
	for field, want := range map[string]any{
		"jobId": jobID, "entryClass": "a.Main", "parallelism": 2.0, "savepointPath": "s3://s/1",
		"allowNonRestoredState": true,
	} {
		if body[field] != want {
			t.Errorf("%s is %v, want %v", field, body[field], want)
		}
	}
	if args, _ := body["programArgsList"].([]any); len(args) != 2 {
		t.Errorf("arguments %v", body["programArgsList"])
	}
}

func TestARunIsAnswered(t *testing.T) {
	noAnswer := func(t *testing.T) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done() // main runs on
		}
	}
	says := func(name string) func(t *testing.T) http.HandlerFunc {
		return func(t *testing.T) http.HandlerFunc { return recorded(t, "2.2", name) }
	}
	answers := func(status int, body string) func(t *testing.T) http.HandlerFunc {
		return func(*testing.T) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.WriteHeader(status)
				_, _ = io.WriteString(w, body)
			}
		}
	}
	rows := map[string]struct {
		reason string
		flink  func(t *testing.T) http.HandlerFunc
		kind   fail.Kind
		why    string
		words  []string
		first  string // with what the message begins
	}{
		"a job of this ID runs": {"another pass was faster", says("jar-run-again-while-running"), fail.None, "", nil, ""},
		"a job of this ID has ended": {
			"what became of it is for the next look", says("jar-run-again-after-the-end"), fail.None, "", nil, "",
		},
		"no answer in time": {"main may take long; the job is found by its ID", noAnswer, fail.None, "", nil, ""},
		"main fails": {
			"only the user can correct it", says("jar-run-main-fails"), fail.Denied, "JarRunFailed",
			[]string{"Could not execute application"},
			"ProgramInvocationException: The main method caused an error: main was told to fail",
		},
		"a savepoint that is not there": {
			"the same", says("jar-run-savepoint-missing"), fail.Denied, "JarRunFailed",
			[]string{"Could not execute application"}, "FileNotFoundException: Cannot find checkpoint or savepoint",
		},
		"no such class": {
			"the same", says("jar-run-no-class"), fail.Denied, "JarRunFailed", []string{"'no.such.Main' was not found"},
			"ClassNotFoundException: no.such.Main",
		},
		"the jar is gone": {
			"the next look has it uploaded again", says("jar-run-unknown-jar"), fail.Transient, "JarGone", nil, "",
		},
		"an application cluster": {
			"it has its own job", says("application-jar-run"), fail.Denied, "JarsNotServed", nil, "",
		},
		"somebody else answers": {
			"a proxy; nobody knows what it did with the request", func(*testing.T) http.HandlerFunc { return http.NotFound },
			fail.Transient, "JarRunUnanswered", nil, "",
		},
		"a mesh gives up": {
			"the JobManager does not", answers(504, "upstream request timeout"), fail.Transient, "JarRunUnanswered", nil, "",
		},
		"half an answer": {"it runs", answers(200, `{"jobid":`), fail.Transient, "JarRunUnanswered", nil, ""},
		"no leader any more": {
			"it had one", answers(503, `{"errors":["Service temporarily unavailable due to an ongoing leader election."]}`),
			fail.Transient, "JarRunUnanswered", []string{"leader election"}, "",
		},
		"a call inside Flink timed out": {
			"the job may be submitted all the same", answers(400, `{"errors":["x.RestHandlerException: Could not execute `+
				`application.\nCaused by: java.util.concurrent.TimeoutException: Invocation of submitJob timed out"]}`),
			fail.Transient, "JarRunUnanswered", []string{"submitJob timed out"}, "",
		},
		"main asks for a job that is not there": {
			"it may have submitted its own", answers(500, `{"errors":["x.FlinkJobNotFoundException: Could not find job"]}`),
			fail.Transient, "JarRunUnanswered", nil, "",
		},
		"a failure of Flink": {
			"nobody knows when", answers(500, `{"errors":["java.lang.NullPointerException"]}`),
			fail.Transient, "JarRunUnanswered", nil, "",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			jm, timeout := newJobManager(t, row.flink(t)), time.Minute
			if name == "no answer in time" {
				timeout = 200 * time.Millisecond
			}
			err := jarCarrier(nil).act(t.Context(), plan.RunJar{
				Endpoint: plan.Endpoint{URL: jm.URL, Timeout: timeout}, JarID: "1_op.jar", Version: "2.2",
				JobID: jobID,
			})
			wantFailure(t, err, row.kind, row.why, row.words...)
			if !strings.HasPrefix(fail.Message(err), row.first) {
				t.Errorf("%q does not begin with the cause, %q", fail.Message(err), row.first)
			}
			if asked := jm.requests(); len(asked) != 1 {
				t.Errorf("asked %v: a run is never repeated", asked)
			}
		})
	}
	t.Run("no connection", func(t *testing.T) {
		jm := newJobManager(t, http.NotFound)
		jm.Close()
		err := jarCarrier(nil).act(t.Context(), plan.RunJar{
			Endpoint: plan.Endpoint{URL: jm.URL}, JarID: "1_op.jar", Version: "2.2", JobID: jobID,
		})
		wantFailure(t, err, fail.Transient, "FlinkUnreachable", "connection refused")
	})
}

func TestAJarIsDeleted(t *testing.T) {
	rows := map[string]struct {
		recording, why string
		kind           fail.Kind
		reason         string
	}{
		"it is there":        {"jar-delete", "", fail.None, "it goes"},
		"it is gone already": {"jar-delete-again", "", fail.None, "as wanted"},
		"no session cluster": {"application-jar-run", "", fail.None, "it is tried once, and nothing waits for it"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			jm := newJobManager(t, recorded(t, "2.2", row.recording))
			err := jarCarrier(nil).act(t.Context(), plan.DeleteJar{Endpoint: plan.Endpoint{URL: jm.URL}, JarID: "1_op.jar"})
			wantFailure(t, err, row.kind, row.why)
			if asked := jm.requests(); len(asked) != 1 || asked[0] != "DELETE /v1/jars/1_op.jar" {
				t.Errorf("%s: asked %v", row.reason, asked)
			}
		})
	}
}

// mute is a Broker that takes nothing.
type mute struct{}

func (mute) Publish(context.Context, cloudevents.Event) error {
	return errors.New("the Broker is away")
}

func TestAnUploadIsRequested(t *testing.T) {
	s, control := newCluster(t), &listener{}
	s.c.Events = &EventRecorder{Kube: s.client, Control: control, Source: "/test", Now: s.kube.Clock.Now}
	if err := s.carry(plan.RequestUpload{}); err != nil || len(control.got) != 1 {
		t.Fatalf("%v: posted %v, want one", err, control.got)
	}
	e := control.got[0]
	key, err := event.KeyOf(e)
	if err != nil || e.Type() != event.TypeUploadRequested || key.String() != "flink/FlinkDeployment/demo" {
		t.Errorf("%v: posted %s for %s", err, e.Type(), key)
	}
	s.c.Events.Control = mute{}
	wantFailure(t, s.carry(plan.RequestUpload{}), fail.Transient, "BrokerUnreachable", "the Broker is away")
	s.c.Events = nil
	wantFailure(t, s.carry(plan.RequestUpload{}), fail.Bug, "NoBroker")
}
