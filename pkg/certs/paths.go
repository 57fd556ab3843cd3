package certs

import (
	"context"
	"fmt"
	"path"
	"strings"
	"sync"
	"time"
)

// Token is the last part of a path that Renewer wrote, or "" for another path.
func Token(urlPath string) string {
	if token := path.Base(urlPath); wellFormed(token) {
		return token
	}
	return ""
}

// Paths says which paths are open: those that end in a token of the Secret. It reads the Secret when it meets a token
// that it does not know, at most once in rereadAfter, and remembers it otherwise. Safe for concurrent use.
type Paths struct {
	// API reads the Secret.
	API API
	// Namespace and Secret name it, as Renewer's do.
	Namespace, Secret string
	// Now is the clock.
	Now func() time.Time

	mu   sync.Mutex
	seen tokens
	read time.Time
}

// rereadAfter bounds how often callers who guess make Paths read the Secret.
const rereadAfter = time.Second

// Open splits a path `<first>/<token>` and reports whether it is open. A path that is no such path is not. An error
// says that the Secret could not be read, or that it was read a moment ago: the path is closed then, too.
func (p *Paths) Open(ctx context.Context, urlPath string) (first string, open bool, err error) {
	first, token, _ := strings.Cut(strings.TrimPrefix(urlPath, "/"), "/")
	if !wellFormed(token) {
		return "", false, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.seen.has(token) {
		if p.Now().Sub(p.read) < rereadAfter {
			return "", false, nil
		}
		p.read = p.Now()
		stored, err := Renewer{API: p.API, Namespace: p.Namespace, Secret: p.Secret, Now: p.Now}.readSecret(ctx)
		if err != nil {
			return "", false, fmt.Errorf("read the paths in Secret %s/%s: %w", p.Namespace, p.Secret, err)
		}
		p.seen = stored.tokens
	}
	return "/" + first, p.seen.has(token), nil
}
