package console

import (
	"net/http"
)

// policy lets a page have our stylesheet, script and pictures, and ask us; nothing else, and nothing inline.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// headers belong to each answer.
var headers = map[string]string{
	"Content-Security-Policy":      policy,
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Cache-Control":                "no-store",
	"Referrer-Policy":              "no-referrer",
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
}

// guarded sets the headers, and refuses what is no look: other methods, but a POST to a path that takes one, and
// requests that a page of another site made, unless a user follows its link. A nil takes takes none.
func guarded(next http.Handler, takes func(path string) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range headers {
			w.Header().Set(name, value)
		}
		looks := r.Method == http.MethodGet || r.Method == http.MethodHead
		if !looks && (r.Method != http.MethodPost || takes == nil || !takes(r.URL.Path)) {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "this page of the console only shows: it answers GET and HEAD", http.StatusMethodNotAllowed)
			return
		}
		site := r.Header.Get("Sec-Fetch-Site")
		if (site == "cross-site" || site == "same-site") && (!looks || r.Header.Get("Sec-Fetch-Mode") != "navigate") {
			http.Error(w, "another site may not use the console", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
