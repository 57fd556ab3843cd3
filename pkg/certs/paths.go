package certs

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"path"
	"strings"
	"sync"
	"time"
)

// tokenBytes makes a path that cannot be guessed: 256 bits, 64 characters in hex.
const tokenBytes = 32

// Keys of a Secret with a token: beside the certificate, and in that of the events.
const (
	// tokenKey is the token in use, as the last part of the paths that the webhook configurations call.
	tokenKey = "token"
	// tokenBeforeKey is the one before it. It stays open until retired has passed and no configuration calls it.
	tokenBeforeKey = "token-before"
	// tokenMadeKey is when tokenKey was made, in RFC 3339.
	tokenMadeKey = "token-made"
)

const (
	// tokenLife is how long one path is in use: it changes as often as the certificate does.
	tokenLife = Lifetime * (renewShare - 1) / renewShare
	// retired is how long the path before stays open at least. An API server hears of a changed configuration within
	// seconds.
	retired = time.Hour
)

// tokens are the paths of a Secret. The zero value is no path.
type tokens struct {
	now, before string
	made        time.Time
}

// readTokens drops what is no token: a path that an editor made up is replaced.
func readTokens(data map[string][]byte) tokens {
	made, err := time.Parse(time.RFC3339, string(data[tokenMadeKey]))
	if err != nil || !wellFormed(string(data[tokenKey])) {
		return tokens{}
	}
	t := tokens{now: string(data[tokenKey]), made: made}
	if before := string(data[tokenBeforeKey]); wellFormed(before) {
		t.before = before
	}
	return t
}

// wellFormed reports whether the text can be a token at all.
func wellFormed(token string) bool {
	b, err := hex.DecodeString(token)
	return err == nil && len(b) == tokenBytes
}

// next is what the Secret holds from now on: another token when the certificate is renewed, or the token is old or
// missing; none before once that is retired. called is whether every configuration calls the token of now. It fails
// only without randomness.
func (t tokens) next(renewed, called bool, now time.Time) (tokens, error) {
	if t.now != "" && !renewed && now.Sub(t.made) < tokenLife {
		if called && now.Sub(t.made) >= retired {
			t.before = ""
		}
		return t, nil
	}
	b := make([]byte, tokenBytes)
	if _, err := rand.Read(b); err != nil {
		return tokens{}, fmt.Errorf("draw a token: %w", err)
	}
	return tokens{now: hex.EncodeToString(b), before: t.now, made: now.UTC().Truncate(time.Second)}, nil
}

// data are the keys of the Secret; an empty one is removed by a merge patch.
func (t tokens) data() map[string][]byte {
	out := map[string][]byte{
		tokenKey: []byte(t.now), tokenMadeKey: []byte(t.made.Format(time.RFC3339)), tokenBeforeKey: nil,
	}
	if t.before != "" {
		out[tokenBeforeKey] = []byte(t.before)
	}
	return out
}

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
		stored, err := Renewer{API: p.API, Namespace: p.Namespace, Secret: p.Secret, Now: p.Now}.read(ctx)
		if err != nil {
			return "", false, fmt.Errorf("read the paths in Secret %s/%s: %w", p.Namespace, p.Secret, err)
		}
		p.seen = stored.tokens
	}
	return "/" + first, p.seen.has(token), nil
}

// has compares in constant time, so that an answer's time tells nothing of a token.
func (t tokens) has(token string) bool {
	now, before := equal(t.now, token), equal(t.before, token)
	return now || before
}

func equal(token, asked string) bool {
	return token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(asked)) == 1
}
