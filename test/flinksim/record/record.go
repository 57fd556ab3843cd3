package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"time"
)

// recording is one file of the test data.
type recording struct {
	// Flink is the version that answered.
	Flink string `json:"flink"`
	// Request is the request line without protocol.
	Request string `json:"request"`
	// Sent is the body of the request; absent for none and for uploads.
	Sent json.RawMessage `json:"sent,omitempty"`
	// Status is the HTTP status of the answer.
	Status int `json:"status"`
	// Answer is the body; a JSON string if it is not JSON.
	Answer json.RawMessage `json:"answer"`
}

// recorder talks to a cluster and writes what it hears.
type recorder struct {
	base    string
	version string
	out     string
	scrub   *strings.Replacer
	host    *regexp.Regexp
	facts   map[string]any
}

func newRecorder(c *cluster, out string) *recorder {
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "no-host-name"
	}
	return &recorder{
		base: fmt.Sprintf("http://127.0.0.1:%d/v1", c.port), version: c.version, out: out,
		scrub: strings.NewReplacer(c.work, "/flink-data", c.flink, "/opt/flink"), facts: map[string]any{},
		host: regexp.MustCompile(`\b` + regexp.QuoteMeta(host) + `\b`),
	}
}

// call sends a request, records it under the name ("" records nothing), and returns the status and the answer.
func (r *recorder) call(name, method, path string, body any) (int, []byte) {
	var sent []byte
	if body != nil {
		sent, _ = json.Marshal(body) // literals of this program
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	status, answer, err := send(ctx, method, r.base+path, sent, "application/json")
	check(err)
	r.save(name, method+" /v1"+path, sent, status, answer)
	return status, answer
}

func (r *recorder) get(name, path string) []byte {
	_, answer := r.call(name, http.MethodGet, path, nil)
	return answer
}

// field sends a GET without recording and reads a top-level string, number or nested "a.b" of the answer as text.
func (r *recorder) field(path, field string) string {
	_, answer, err := get(r.base + path)
	if err != nil {
		return ""
	}
	return pick(answer, field)
}

func pick(answer []byte, field string) string {
	var value any
	if json.Unmarshal(answer, &value) != nil {
		return ""
	}
	for _, key := range strings.Split(field, ".") {
		object, ok := value.(map[string]any)
		if !ok {
			return ""
		}
		value = object[key]
	}
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

// upload sends the jar and returns its ID.
func (r *recorder) upload(name, file, as string) string {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("jarfile", as)
	check(err)
	content, err := os.ReadFile(file)
	check(err)
	_, err = part.Write(content)
	check(err)
	check(form.Close())
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	status, answer, err := send(ctx, http.MethodPost, r.base+"/jars/upload", body.Bytes(), form.FormDataContentType())
	check(err)
	r.save(name, "POST /v1/jars/upload", nil, status, answer)
	return filepath.Base(pick(answer, "filename"))
}

var (
	serialized = regexp.MustCompile(`"serialized-throwable": ?"[^"]*"`)
	memory     = regexp.MustCompile(`"physicalMemory": ?\d+`)
	uploaded   = regexp.MustCompile(`flink-web-[0-9a-f-]{36}`)
)

func (r *recorder) save(name, request string, sent []byte, status int, answer []byte) {
	if name == "" {
		return
	}
	text := []byte(r.clean(string(answer)))
	if !json.Valid(text) {
		text, _ = json.Marshal(string(text)) // a string always can be
	}
	rec := recording{Flink: r.version, Request: r.clean(request), Status: status, Answer: text}
	if sent != nil {
		rec.Sent = json.RawMessage(r.clean(string(sent)))
	}
	r.write(name, rec)
}

func (r *recorder) clean(text string) string {
	text = serialized.ReplaceAllString(r.scrub.Replace(text), `"serialized-throwable":""`)
	text = r.host.ReplaceAllString(text, "flink-host")
	text = memory.ReplaceAllString(text, `"physicalMemory":17179869184`)
	return uploaded.ReplaceAllString(text, "flink-web")
}

func (r *recorder) write(name string, value any) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	check(encoder.Encode(value))
	check(os.WriteFile(filepath.Join(r.out, name+".json"), out.Bytes(), 0o644))
}

// modern tells whether a jar run takes a configuration, from 1.17 on.
func (r *recorder) modern() bool {
	return !strings.HasPrefix(r.version, "1.15") && !strings.HasPrefix(r.version, "1.16")
}

// fact notes something that no single answer shows.
func (r *recorder) fact(name string, value any) { r.facts[name] = value }

func send(ctx context.Context, method, url string, body []byte, contentType string) (int, []byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}

func decode(text []byte, into any) error { return json.Unmarshal(text, into) }

func sorted(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

// check ends the program; main's deferred functions still stop the clusters.
func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

type failure struct{ error }
