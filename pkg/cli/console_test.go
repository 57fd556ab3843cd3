package cli_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kn-flink/kn-flink/pkg/cli"
)

// lines is a stream of which the first line is waited for.
type lines struct {
	mu    sync.Mutex
	all   bytes.Buffer
	first chan string
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := strings.Contains(l.all.String(), "\n")
	l.all.Write(p)
	if line, _, has := strings.Cut(l.all.String(), "\n"); has && !before {
		l.first <- line
	}
	return len(p), nil
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

// consoleOf runs kn flink console, hands its address to a user, interrupts it, and answers with what it said.
func consoleOf(t *testing.T, user func(address string)) (out, notes string, code int) {
	t.Helper()
	w := newWorld(t, "team.yaml")
	stdout, stderr := &lines{first: make(chan string, 1)}, &lines{first: make(chan string, 1)}
	root := cli.New(cli.Options{
		In: strings.NewReader(""), Out: stdout, Err: stderr, Version: "v0.0.0-test",
		Now:    func() time.Time { return w.Clock.Now().Add(time.Hour) },
		Config: func() (*rest.Config, string, error) { return w.Config("kn-flink"), "flink", nil },
	})
	root.SetArgs([]string{"console"})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- root.ExecuteContext(ctx) }()
	select {
	case address := <-stdout.first:
		user(address)
	case err := <-ended:
		t.Fatalf("it ended: %v\n%s", err, stderr)
	}
	cancel()
	if end := cli.ExitOf(ctx, <-ended); end != nil {
		code = end.Code
	}
	return stdout.String(), stderr.String(), code
}

func TestConsoleIsServedToOneBrowserOfThisMachine(t *testing.T) {
	var address string
	var cookies []*http.Cookie
	out, notes, code := consoleOf(t, func(printed string) {
		address = printed
		at, err := url.Parse(address)
		if err != nil || at.Hostname() != "127.0.0.1" || at.Query().Get("token") == "" {
			t.Fatalf("address %q, error %v", address, err)
		}
		jar, _ := cookiejar.New(nil) // without a list of suffixes it has no error
		browser := &http.Client{Jar: jar}
		answer, err := browser.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		page, err := io.ReadAll(answer.Body)
		shown := answer.Request.URL.String() == "http://"+at.Host+"/jobs" && strings.Contains(string(page), "sessions-daily")
		if err != nil || !shown {
			t.Errorf("%s: error %v\n%s", answer.Request.URL, err, page)
		}
		cookies = jar.Cookies(at)
		other, err := http.Get("http://" + at.Host + "/jobs")
		if err != nil {
			t.Fatal(err)
		}
		defer other.Body.Close()
		if other.StatusCode != http.StatusUnauthorized {
			t.Errorf("another user of the machine: status %d", other.StatusCode)
		}
	})
	if code != 0 || out != address+"\n" || !strings.Contains(notes, "The console has ended.") {
		t.Errorf("exit code %d\n%s\n%s", code, out, notes)
	}
	if len(cookies) != 1 || strings.Contains(out+notes, cookies[0].Value) {
		t.Errorf("cookies %v, which what was printed must not have:\n%s\n%s", cookies, out, notes)
	}
	if token := address[strings.Index(address, "token=")+6:]; strings.Contains(notes, token) {
		t.Errorf("the token is in the notes:\n%s", notes)
	}
}

func TestConsoleRefusesWhatItCannotServe(t *testing.T) {
	w := newWorld(t, "team.yaml")
	for args, want := range map[string]string{
		"--port=70000": "it is 0 to 65535", "--idle=-1s": "it is 0 or more", "--port=-1": "it is 0 to 65535",
	} {
		if _, notes, code := w.run("console", args); code != cli.CodeError || !strings.Contains(notes, want) {
			t.Errorf("%s: exit code %d\n%s", args, code, notes)
		}
	}
	_, _, _ = consoleOf(t, func(address string) {
		at, _ := url.Parse(address) // the test above reads it
		if _, notes, code := w.run("console", "--port="+at.Port()); code != cli.CodeError ||
			!strings.Contains(notes, "--port=0 takes a free one") {
			t.Errorf("a port that is taken: exit code %d\n%s", code, notes)
		}
	})
}
