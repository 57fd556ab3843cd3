package flinksim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
)

// versions are those whose recordings hold the model.
var versions = []string{"1.20", "2.2"}

// recording is one answer of a real Flink, as the tests of package flinkrest keep it.
type recording struct {
	Request string          `json:"request"`
	Sent    json.RawMessage `json:"sent"`
	Status  int             `json:"status"`
	Answer  json.RawMessage `json:"answer"`
}

// testdata is where the recordings of a version are.
func testdata(version string) string {
	return filepath.Join("..", "..", "pkg", "flinkrest", "testdata", version)
}

func read(t *testing.T, version, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testdata(version), name+".json"))
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// A story has the model do what real Flink was recorded to do (test/flinksim/record).
type story struct {
	// begin makes the world.
	begin func(p *play)
	// steps follow.
	steps []step
}

// step is one of a story: it does something, or compares something that was recorded.
type step struct {
	// do changes the world.
	do func(p *play)
	// asks names a recorded request, which the model is asked, too.
	asks string
	// but are fields of its answer whose values are not compared, with the reason.
	but map[string]string
	// fact names a recorded fact.
	fact string
	// is tells what the model's is.
	is func(p *play) any
}

func do(act func(p *play)) step { return step{do: act} }

// but lets fields of one answer differ.
func but(asks string, fields map[string]string) step { return step{asks: asks, but: fields} }

// of does something in one version only, as it happened there.
func of(version string, s step) step {
	return do(func(p *play) {
		if p.version == version {
			s.do(p)
		}
	})
}

func fact(name string, is func(p *play) any) step { return step{fact: name, is: is} }

// waits lets seconds pass: what was asked for is carried out, and no answer is in a cache any more.
func waits(seconds int) step {
	return do(func(p *play) {
		for range seconds {
			p.w.Tick(time.Second)
		}
		p.w.Settle()
	})
}

// steps are steps, names of recorded requests to ask, and lists of steps.
func steps(parts ...any) (all []step) {
	for _, part := range parts {
		switch s := part.(type) {
		case string:
			all = append(all, step{asks: s})
		case step:
			all = append(all, s)
		case []step:
			all = append(all, s...)
		}
	}
	return all
}

// play is a story that is played with one version of Flink.
type play struct {
	t       *testing.T
	version string
	w       *World
	needed  map[string]bool // the exceptions that were
	drawn   []string        // pairs: an ID that Flink drew, and what the model drew instead
}

// play plays the story, and notes the exceptions that it needs.
func (s story) play(t *testing.T, version string, needed map[string]bool) {
	p := &play{t: t, version: version, needed: needed}
	s.begin(p)
	for _, one := range s.steps {
		switch {
		case one.do != nil:
			one.do(p)
		case one.asks != "":
			p.ask(one)
		default:
			var all map[string]any
			read(t, version, "facts", &all)
			if got := one.is(p); fmt.Sprint(got) != fmt.Sprint(all[one.fact]) {
				t.Errorf("%s: %v, Flink: %v", one.fact, got, all[one.fact])
			}
		}
	}
}

// ask asks the model what was recorded, and compares the answers: the same status, no key that Flink does not have, no
// other type at a key, and the same for whoever reads it with package flinkrest.
func (p *play) ask(s step) {
	var r recording
	read(p.t, p.version, s.asks, &r)
	method, path, _ := strings.Cut(p.instead(r.Request), " ")
	status, answer := p.send(method, path, s.asks, r.Sent)
	if status != r.Status {
		p.t.Errorf("%s: status %d, Flink gave %d", s.asks, status, r.Status)
	}
	p.learn("", decoded(p.t, r.Answer), decoded(p.t, answer))
	theirs := []byte(p.instead(string(r.Answer)))
	compare(p.t, s.asks, decoded(p.t, theirs), decoded(p.t, answer))
	request := method + " " + path
	for path, line := range differences(asRead(p.t, request, r.Status, theirs), asRead(p.t, request, status, answer)) {
		excepted := false
		for field := range s.but {
			if strings.HasPrefix(path, field) {
				p.needed[s.asks+field], excepted = true, true
			}
		}
		if !excepted {
			p.t.Errorf("%s%s", s.asks, line)
		}
	}
}

func decoded(t *testing.T, text []byte) (value any) {
	t.Helper()
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return value
}

// instead puts what the model drew where Flink drew something else.
func (p *play) instead(text string) string { return strings.NewReplacer(p.drawn...).Replace(text) }

// drawnID is an ID of a vertex, a slot sharing group or an operation, and givenID one that the recorder gave.
var (
	drawnID = regexp.MustCompile(`^[0-9a-f]{32}$`)
	givenID = regexp.MustCompile(`^(aa|bb)0{20}`)
)

// learn notes what Flink and the model drew. The order of a plan's nodes is none.
func (p *play) learn(key string, flink, model any) {
	switch theirs := flink.(type) {
	case map[string]any:
		mine, _ := model.(map[string]any)
		for key, value := range theirs {
			if key != "plan" {
				p.learn(key, value, mine[key])
			}
		}
	case []any:
		mine, _ := model.([]any)
		for i := range min(len(theirs), len(mine)) {
			p.learn(key, theirs[i], mine[i])
		}
	case string:
		mine, _ := model.(string)
		switch {
		case mine == theirs || mine == "" || givenID.MatchString(theirs):
		case key == "filename":
			p.drawn = append(p.drawn, path.Base(theirs), path.Base(mine))
		case key == "location" || drawnID.MatchString(mine) && drawnID.MatchString(theirs):
			p.drawn = append(p.drawn, theirs, mine)
		}
	}
}

// send is a request to the model; name is the recording's. What arguments make of the code of RecordJob.java, options
// and scripts make of the model's.
func (p *play) send(method, path, name string, sent []byte) (int, []byte) {
	p.t.Helper()
	path, sent = strings.TrimPrefix(path, "/v1"), []byte(p.instead(string(sent)))
	switch {
	case strings.HasSuffix(path, "/upload"):
		kind, form := p.form(map[bool]string{true: "operation.txt", false: "operation.jar"}[strings.Contains(name, "not-a")])
		return sends(p.t, p.w, method, path, kind, form)
	case strings.HasSuffix(path, "/run"), strings.HasSuffix(path, "/plan"):
		sent = p.code(sent)
	}
	return sends(p.t, p.w, method, path, "application/json", string(sent))
}

// form is the upload of a file that is to be a jar.
func (p *play) form(name string) (kind, text string) {
	p.t.Helper()
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	part, err := writer.CreateFormFile("jarfile", name)
	if err == nil {
		_, err = io.WriteString(part, "jar")
	}
	if err == nil {
		err = writer.Close()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return writer.FormDataContentType(), form.String()
}

// recordJob is the name that the code gives its job.
const recordJob = "record job"

// code is a run of the jar with options for its arguments.
func (p *play) code(sent []byte) []byte {
	run, _ := decoded(p.t, sent).(map[string]any)
	options, _ := run["flinkConfiguration"].(map[string]any)
	if options == nil {
		options = map[string]any{}
	}
	options["pipeline.name"] = recordJob
	args, _ := run["programArgsList"].([]any)
	var script job.Script
	for i, arg := range args {
		switch arg {
		case "--checkpoint-ms":
			options["execution.checkpointing.interval"] = fmt.Sprint(args[i+1], " ms")
		case "--snapshot-ms":
			script.SnapshotSteps = 1
		case "--fail-main":
			script.MainFails = "java.lang.IllegalStateException: main was told to fail"
		case "--main-ms":
			script.MainSteps = 3
		case "--fail-close", "--fail-close-once":
			script.StopFails = true
		case "--set":
			_, script.Retain, _ = strings.Cut(fmt.Sprint(args[i+1]), "=")
		}
	}
	p.w.Flink.ScriptJob(recordJob, script)
	run["flinkConfiguration"] = options
	text, err := json.Marshal(run)
	if err != nil {
		p.t.Fatal(err)
	}
	return text
}

// jobOf is the n-th job of the recordings, and triggerOf the n-th trigger.
func jobOf(n int) string     { return fmt.Sprintf("aa%030x", n) }
func triggerOf(n int) string { return fmt.Sprintf("bb%030x", n) }

// acts does something to the n-th job.
func acts(n int, act func(j *job.Job, now time.Time)) step {
	return do(func(p *play) {
		p.w.Flink.Do("flink", "demo", jobOf(n), func(j *job.Job) { act(j, p.w.Clock.Now()) })
	})
}

func cancel(j *job.Job, now time.Time) { j.Cancel(now) }

// posts sends something that was not recorded.
func posts(path string, body map[string]any) step {
	return do(func(p *play) {
		text, err := json.Marshal(body)
		if err != nil {
			p.t.Fatal(err)
		}
		if status, answer := p.send(http.MethodPost, "/v1"+p.instead(path), "", text); status >= 300 {
			p.t.Fatalf("%s: %d %s", path, status, answer)
		}
	})
}

// looks asks for something that was not recorded; the answer is in a cache then.
func looks(path string) step {
	return do(func(p *play) { p.send(http.MethodGet, "/v1"+path, "", nil) })
}
