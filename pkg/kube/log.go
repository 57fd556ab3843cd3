package kube

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// coreFor is a client for the paths of the core API that do not answer with objects. It shares the connections.
func coreFor(config *rest.Config, way *http.Client) (rest.Interface, error) {
	config = dynamic.ConfigFor(config) // its serializer reads the errors
	return rest.UnversionedRESTClientForConfigAndClient(config, way)
}

// Log names the end of a container's log.
type Log struct {
	// Namespace, Pod and Container name the container.
	Namespace, Pod, Container string
	// Previous asks for the log of the run before the present one.
	Previous bool
	// Lines bounds it, from the end; zero means all.
	Lines int
}

// maxLog bounds what is read of a log, in bytes: what follows is left out.
const maxLog = 256 << 10

// ErrNoLogs is the error of a client that was made without a way to read logs.
var ErrNoLogs = errors.New("this client reads no logs")

// String says what is read, for error texts.
func (l Log) String() string {
	return fmt.Sprintf("read the log of container %s of pod %s/%s", l.Container, l.Namespace, l.Pod)
}

func (l Log) request(of rest.Interface) *rest.Request {
	request := of.Get().AbsPath("/api/v1/namespaces", l.Namespace, "pods", l.Pod, "log").
		Param("container", l.Container).Param("previous", strconv.FormatBool(l.Previous))
	if l.Lines > 0 {
		request = request.Param("tailLines", strconv.Itoa(l.Lines))
	}
	return request
}

// Stream opens a container's log, each line after its time and a blank: what it has of the last since (zero means all),
// up to 16 MiB, or without an end where it is followed. The caller closes it.
func (c *Client) Stream(ctx context.Context, l Log, since time.Duration, follow bool) (io.ReadCloser, error) {
	if c.endless == nil {
		return nil, fmt.Errorf("%s: %w", l, ErrNoLogs)
	}
	request := l.request(c.endless).Param("timestamps", "true").Param("follow", strconv.FormatBool(follow))
	if since > 0 {
		request = request.Param("sinceSeconds", strconv.Itoa(max(int(since.Seconds()), 1)))
	}
	stream, err := request.Stream(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l, err)
	}
	return stream, nil
}

// Log reads the end of a container's log (GET pods/:name/log).
func (c *Client) Log(ctx context.Context, l Log) (string, error) {
	if c.core == nil {
		return "", fmt.Errorf("%s: %w", l, ErrNoLogs)
	}
	result := l.request(c.core).Param("limitBytes", strconv.Itoa(maxLog)).Do(ctx)
	if err := result.Error(); err != nil { // Raw alone would not read what the API server says of it
		return "", fmt.Errorf("%s: %w", l, err)
	}
	text, err := result.Raw()
	return string(text), err
}
