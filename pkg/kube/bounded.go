package kube

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/bounded"
)

// What an answer of the API server may be. Whoever may write resources decides how large they are, and what they
// become: 1.5 MB of small maps take 30 MB.
const (
	// maxAnswer bounds every answer, in bytes. A page that is larger is asked for again in halves; one of 200 resources
	// has some 4 MB.
	maxAnswer = 16 << 20
	// maxCost bounds a list of our own kinds by what it takes in memory, in bytes, once it is decoded: for such a page
	// three times what it has.
	maxCost = 32 << 20
)

// ourGroup begins the paths of our own kinds, whose content is a user's.
const ourGroup = "/apis/flink.apache.org/"

// counting bounds what the API server answers before anybody keeps it.
type counting struct{ next http.RoundTripper }

// RoundTrip has the body of an answer read through what bounds it.
func (c counting) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := c.next.RoundTrip(r)
	if err != nil || answer.Body == nil {
		return answer, err
	}
	watches := r.URL.Query().Get("watch") == "true" || r.URL.Query().Get("follow") == "true"
	json := strings.HasPrefix(answer.Header.Get("Content-Type"), "application/json")
	switch {
	case watches:
	case json && strings.HasPrefix(r.URL.Path, ourGroup):
		ctx := r.Context()
		answer.Body = through(answer.Body, func(cost int) error { return roomFor(ctx, cost) })
		answer.ContentLength = -1
		answer.Header.Del("Content-Length")
	default:
		answer.Body = &upTo{ReadCloser: answer.Body, left: maxAnswer}
	}
	return answer, nil
}

// upTo reads so much and no more.
type upTo struct {
	io.ReadCloser
	left int
}

// Read fails where there is more.
func (u *upTo) Read(into []byte) (int, error) {
	n, err := u.ReadCloser.Read(into)
	if u.left -= n; u.left < 0 {
		return 0, &bounded.TooLarge{What: "bytes in an answer of the API server", Most: maxAnswer}
	}
	return n, err
}

// roomKey is where a context has what WithRoom gave it.
type roomKey struct{}

// WithRoom has each answer with resources of our own kinds wait, before it is decoded, until room returns: cost is what
// it takes in memory, in bytes. An error of room is that of the call.
func WithRoom(ctx context.Context, room func(ctx context.Context, cost int) error) context.Context {
	return context.WithValue(ctx, roomKey{}, room)
}

func roomFor(ctx context.Context, cost int) error {
	room, limited := ctx.Value(roomKey{}).(func(context.Context, int) error)
	if !limited {
		return nil
	}
	return room(ctx, cost)
}

// through has the body of an answer copied through what bounds it, as far as it is read.
func through(body io.ReadCloser, room func(cost int) error) io.ReadCloser {
	out, in := io.Pipe()
	go func() {
		in.CloseWithError(bounded.NewStream(body).Answer(in, maxAnswer, maxCost, room))
	}()
	return &piped{PipeReader: out, from: body}
}

// piped is what comes out.
type piped struct {
	*io.PipeReader
	from io.Closer
}

// Close ends what goes in, too.
func (p *piped) Close() error {
	_ = p.PipeReader.Close() // never fails
	return p.from.Close()
}

// isTooLarge reports whether a list was larger than its bounds.
func isTooLarge(err error) bool {
	var over *bounded.TooLarge
	return errors.As(err, &over)
}

// inHalves reads a page, and half of it when that is too large, and so on: the first half, then. The continue token of
// the answer leads to the other one.
func inHalves(q Query, read func(Query) error) error {
	for {
		err := read(q)
		if !isTooLarge(err) || q.Limit <= 1 {
			return err
		}
		q.Limit /= 2
	}
}
