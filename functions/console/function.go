package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kn-flink/kn-flink/pkg/console"
	"github.com/kn-flink/kn-flink/pkg/kube"
)

// setup is what the environment says of the console.
type setup struct {
	system, version string
	actions         bool
	now             func() time.Time
}

// newHandler serves the console to whoever brings a token that the API server takes.
func newHandler(server *rest.Config, s setup) http.Handler {
	return console.New(console.Options{
		Caller: callers{server}.of, System: s.system, Version: s.version, Now: s.now,
		Foot: "with the token of your request", Actions: s.actions,
	})
}

// callers tell by whose token a request is made.
type callers struct{ server *rest.Config }

// token68 is what a bearer token may be (RFC 6750).
var token68 = regexp.MustCompile(`^[A-Za-z0-9._~+/-]+=*$`)

var errNoToken = errors.New("this console has no rights of its own, and your request has no token. Open it at the " +
	"address of the proxy that logs you in, which sends your token as Authorization: Bearer")

// of is the caller of a request: its token, and no other header, becomes part of the requests to the API server.
func (c callers) of(r *http.Request) (console.Caller, error) {
	sent := r.Header.Values("Authorization")
	if len(sent) != 1 {
		return console.Caller{}, errNoToken
	}
	scheme, token, _ := strings.Cut(sent[0], " ")
	if !strings.EqualFold(scheme, "Bearer") || !token68.MatchString(token) {
		return console.Caller{}, errNoToken
	}
	config := rest.AnonymousClientConfig(c.server)
	config.BearerToken, config.WarningHandler = token, rest.NoWarnings{}
	client, err := kube.ForConfig(config, "kn-flink-"+component)
	sum := sha256.Sum256([]byte(token))
	return console.Caller{Client: client, Key: hex.EncodeToString(sum[:]), Config: config, Secret: token}, err
}
