package console

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"html/template"
	"net/http"
	"sync"
	"time"
)

//go:embed page
var texts embed.FS

// How soon a page is asked for again, in seconds.
const (
	pollMoving = 3
	pollAtRest = 20
)

// frame is what the template of a page has.
type frame struct {
	// Title belongs to the page, Told the state in a few words.
	Title, Told string
	// View is what the page shows.
	View any
	// Poll is in how many seconds the page is asked for again; 0 is never.
	Poll int
	// Now is the time of the reader.
	Now time.Time
	// Nav are the pages of the navigation.
	Nav []link
	// Assets is the part of the address of the assets that names their version.
	Assets string
	// Version and Foot stand at the foot, and whether changes are on.
	Version, Foot string
	Actions       bool
}

// link is one of the navigation.
type link struct {
	// Name and Address.
	Name, Address string
	// Here is whether it leads to this page.
	Here bool
}

// templates belong to the pages by their files, read once.
var templates = sync.OnceValues(func() (map[string]*template.Template, error) {
	base, err := template.New("").Funcs(words).ParseFS(texts, "page/frame.html", "page/parts.html")
	if err != nil {
		return nil, err
	}
	all := map[string]*template.Template{}
	for _, p := range append([]page{{body: "problem.html"}}, pages...) {
		if all[p.body], err = base.Clone(); err == nil {
			_, err = all[p.body].ParseFS(texts, "page/"+p.body)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
})

// answer writes a view as JSON or as its page. Both have an ETag over what they say; the ages on a page are no part of
// it, as the script counts them.
func (c *console) answer(w http.ResponseWriter, r *http.Request, p page, s shown) {
	body, err := encoded(s.view)
	if err != nil {
		c.fail(w, r, err)
		return
	}
	poll := pollAtRest
	switch {
	case s.still:
		poll = 0
	case s.moves:
		poll = pollMoving
	}
	json := wantsJSON(r)
	sum := sha256.New()
	sum.Write(body)
	sum.Write([]byte{byte(poll), byte(len(p.body))})
	tag := `"` + hex.EncodeToString(sum.Sum(nil))[:24] + `"`
	w.Header().Set("ETag", tag)
	w.Header().Set("Vary", "Accept")
	w.Header().Set("Cache-Control", "no-cache, private")
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if json {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body) // a reader that is gone
		return
	}
	c.render(w, r, p.body, http.StatusOK, frame{Title: s.title, Told: s.told, View: s.view, Poll: poll})
}

func encoded(view any) ([]byte, error) {
	var out bytes.Buffer
	in := json.NewEncoder(&out)
	in.SetEscapeHTML(false)
	in.SetIndent("", "  ")
	err := in.Encode(view)
	return out.Bytes(), err
}

// render writes a page.
func (c *console) render(w http.ResponseWriter, r *http.Request, body string, status int, f frame) {
	f.Now, f.Assets, f.Version, f.Foot, f.Actions = c.Now(), assetHash, cmp.Or(c.Version, "devel"), c.Foot, c.Actions
	for _, p := range pages {
		if p.name != "" {
			f.Nav = append(f.Nav, link{p.name, p.pattern, p.pattern == r.URL.Path})
		}
	}
	all, err := templates()
	var out bytes.Buffer
	if err == nil {
		err = all[body].ExecuteTemplate(&out, "frame", f)
	}
	if err != nil {
		http.Error(w, "the page could not be written: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // a reader that is gone
}

// Problem is an error as JSON.
type Problem struct {
	// Status is the HTTP status.
	Status int `json:"status"`
	// Title is what is wrong, Text what to do.
	Title string `json:"title"`
	Text  string `json:"text"` // what to do
}

// fail answers with a page that says what is wrong. A page that may come back is asked for again.
func (c *console) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := problemOf(err)
	said := Problem{p.status, p.title, p.text}
	if wantsJSON(r) {
		body, _ := encoded(said) // three texts
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(p.status)
		_, _ = w.Write(body) // a reader that is gone
		return
	}
	poll := 0
	if p.status >= http.StatusInternalServerError {
		poll = pollAtRest
	}
	c.render(w, r, "problem.html", p.status, frame{Title: p.title, View: said, Poll: poll})
}
