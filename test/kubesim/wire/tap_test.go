package wire

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// counter is a model whose POST adds one, and whose second POST on /once changes nothing.
type counter struct {
	total int
	once  bool
}

func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if r.Method == http.MethodPost && (r.URL.Path != "/once" || !c.once) {
		c.once = c.once || r.URL.Path == "/once"
		c.total++
		Note(r.Context(), "add "+string(body))
	}
	if r.URL.Path == "/abort" {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(http.StatusCreated)
}

func (c *counter) system(name string) System {
	return System{
		Name: name, Handler: c,
		Classify: func(r *http.Request) Request {
			verb := map[string]string{"GET": "get", "POST": "create"}[r.Method]
			return Request{Path: r.URL.Path, Verb: verb, Resource: strings.Trim(r.URL.Path, "/")}
		},
		Refuse: func(w http.ResponseWriter, status int) { w.WriteHeader(status) },
	}
}

// post returns the status, or the error's text.
func post(t *testing.T, tap *Tap, c *counter, agent, path string) (int, error) {
	t.Helper()
	client := http.Client{Transport: tap.Transport(c.system("model"), agent)}
	response, err := client.Post("http://model"+path, "", strings.NewReader("x"))
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

func TestFaults(t *testing.T) {
	rows := map[string]struct {
		fault  Fault
		status []int // of three posts; 0 means a broken connection
		total  int
		why    string
	}{
		"none":               {Fault{Match: On("delete", "")}, []int{201, 201, 201}, 3, "nothing matches"},
		"every write before": {Fault{Err: Refused}, []int{0, 0, 0}, 0, "nil means every write, 0 means each"},
		"second before":      {Fault{Nth: 2, Err: Timeout}, []int{201, 0, 201}, 2, "the model never sees it"},
		"second after": {
			Fault{Nth: 2, After: true, Err: Timeout}, []int{201, 0, 201}, 3, "it took effect, nobody was told",
		},
		"second answered": {Fault{Nth: 2, Status: 500}, []int{201, 500, 201}, 2, "refused in the system's shape"},
		"answered after":  {Fault{Nth: 1, After: true, Status: 409}, []int{409, 201, 201}, 3, "a lie about what happened"},
		"killed before":   {Fault{Nth: 2, Kill: true}, []int{201, 0, 0}, 1, "a process that is gone stays gone"},
		"killed after":    {Fault{Nth: 2, After: true, Kill: true}, []int{201, 0, 0}, 2, "its last act counted"},
		"other agent":     {Fault{Match: ByAgent("b"), Kill: true}, []int{201, 201, 201}, 3, "faults tell clients apart"},
		"reads only":      {Fault{Match: On("get", ""), Err: Refused}, []int{201, 201, 201}, 3, "a POST is no read"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			tap, c := New(), &counter{}
			tap.Inject(row.fault)
			var got []int
			for range 3 {
				status, err := post(t, tap, c, "a", "/x")
				if err != nil && row.fault.Err != nil && !errors.Is(err, row.fault.Err) {
					t.Errorf("got %v, want %v", err, row.fault.Err)
				}
				got = append(got, status)
			}
			if diff := cmp.Diff(row.status, got); diff != "" || c.total != row.total {
				t.Errorf("total %d, want %d: %s\n%s", c.total, row.total, row.why, diff)
			}
			if n := len(tap.Effects()); n != row.total {
				t.Errorf("%d effects logged, %d happened", n, row.total)
			}
			if n := len(tap.Requests()); n != 3 {
				t.Errorf("%d requests recorded, want all 3", n)
			}
		})
	}
}

func TestCrashAfterEffectCountsOnlyEffects(t *testing.T) {
	tap, one, two := New(), &counter{}, &counter{}
	tap.CrashAfterEffect("a", 2)
	for _, path := range []string{"/once", "/once", "/once"} {
		if _, err := post(t, tap, one, "a", path); err != nil {
			t.Fatalf("post %s: %v: only the first of them is an effect", path, err)
		}
	}
	if _, err := post(t, tap, one, "b", "/x"); err != nil {
		t.Errorf("another client: %v", err)
	}
	if _, err := post(t, tap, two, "a", "/x"); err == nil || two.total != 1 {
		t.Errorf("the second effect, in another model: total %d, %v; want it done and the client dead", two.total, err)
	}
	if !tap.Dead("a") || tap.Dead("b") {
		t.Errorf("dead a = %v, b = %v; want only a", tap.Dead("a"), tap.Dead("b"))
	}
	tap.Revive()
	if _, err := post(t, tap, one, "a", "/x"); err != nil {
		t.Errorf("after Revive: %v", err)
	}
	var texts []string
	for _, e := range tap.Effects() {
		texts = append(texts, e.String())
	}
	want := []string{"1 a: add x", "2 b: add x", "3 a: add x", "4 a: add x"}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Error(diff)
	}
}

func TestCrashBeforeWrite(t *testing.T) {
	tap, c := New(), &counter{}
	remove := tap.CrashBeforeWrite("", 1)
	remove()
	if _, err := post(t, tap, c, "a", "/x"); err != nil {
		t.Errorf("a disarmed fault struck: %v", err)
	}
	tap.CrashBeforeWrite("a", 1)
	if _, err := post(t, tap, c, "a", "/x"); !errors.Is(err, Refused) || c.total != 1 {
		t.Errorf("total %d, %v; want the write refused unseen", c.total, err)
	}
}

func TestDoRunsBetweenRequests(t *testing.T) {
	tap, c := New(), &counter{}
	var seen []int
	tap.Inject(Fault{Match: ByAgent("a"), Nth: 2, Do: func() {
		for range 2 {
			if _, err := post(t, tap, c, "b", "/x"); err != nil {
				t.Error(err)
			}
		}
		seen = append(seen, c.total)
	}})
	for range 2 {
		if status, err := post(t, tap, c, "a", "/x"); err != nil || status != 201 {
			t.Errorf("%d %v: Do alone breaks nothing", status, err)
		}
	}
	if diff := cmp.Diff([]int{3}, seen); diff != "" || c.total != 4 {
		t.Errorf("total %d; another client's whole pass fits before the second request\n%s", c.total, diff)
	}
	if n := tap.Count(ByAgent("b")); n != 2 {
		t.Errorf("%d requests of b, want 2", n)
	}
	tap.Forget()
	if len(tap.Requests())+len(tap.Effects()) != 0 {
		t.Error("Forget left something")
	}
}

func TestTransportKeepsToTheContext(t *testing.T) {
	tap, c := New(), &counter{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://model/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tap.Transport(c.system("model"), "a").RoundTrip(r); !errors.Is(err, context.Canceled) || c.total != 0 {
		t.Errorf("total %d, %v; want a cancelled call to reach nobody", c.total, err)
	}
}

func TestAbortAndSocket(t *testing.T) {
	tap, c := New(), &counter{}
	if _, err := post(t, tap, c, "a", "/abort"); !errors.Is(err, Reset) {
		t.Errorf("a model that aborts: %v, want a reset connection", err)
	}
	server := httptest.NewServer(tap.Handler(c.system("model")))
	defer server.Close()
	response, err := http.Post(server.URL+"/x", "", strings.NewReader("y"))
	if err != nil || response.StatusCode != http.StatusCreated {
		t.Fatalf("over a socket: %v %v", response, err)
	}
	response.Body.Close()
	tap.Inject(Fault{Err: Refused})
	if _, err := http.Post(server.URL+"/x", "", strings.NewReader("y")); err == nil {
		t.Error("over a socket a broken request was answered")
	}
}
