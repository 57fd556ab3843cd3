package certs

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
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

// has compares in constant time, so that an answer's time tells nothing of a token.
func (t tokens) has(token string) bool {
	now, before := equal(t.now, token), equal(t.before, token)
	return now || before
}

func equal(token, asked string) bool {
	return token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(asked)) == 1
}
