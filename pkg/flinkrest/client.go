package flinkrest

import (
	"net/http"

	"github.com/kn-flink/kn-flink/pkg/flinkrest/wire"
)

// Client talks to the REST endpoint of one Flink cluster. It is safe for concurrent use, keeps no state about the
// cluster, and never repeats a request by itself. Every error matches one of the Err kinds.
type Client struct {
	conn *wire.Conn
}

// New makes a Client. It does not connect. It fails on a base URL or on certificates that cannot be used.
func New(o Options) (*Client, error) {
	conn, err := wire.New(o)
	if err != nil {
		return nil, err
	}
	return &Client{conn: conn}, nil
}

// The options of a client and of its connections, as package wire describes them.
type (
	// Options say which cluster a Client talks to, and how.
	Options = wire.Options
	// TLSOptions hold the certificates for https.
	TLSOptions = wire.TLSOptions
	// TransportOptions say how the connections of a shared transport are made.
	TransportOptions = wire.TransportOptions
	// Dialer opens a connection, as net.Dialer.DialContext does.
	Dialer = wire.Dialer
	// Error is what every method of Client fails with: operation, path, status, kind, Flink's message.
	Error = wire.Error
)

// NewTransport makes a transport that the clients of any number of clusters may share.
func NewTransport(o TransportOptions) (*http.Transport, error) { return wire.NewTransport(o) }

// TLSFromDir reads the certificates of a mounted Secret, PEM or PKCS12; nil without one.
func TLSFromDir(dir, password string) (*TLSOptions, error) { return wire.TLSFromDir(dir, password) }

// The kinds of failure, for errors.Is. The first group is Flink's own word; after an error of the second group nothing
// is known about what was asked for (Unknown).
var (
	// ErrNotFound: Flink itself says that the job, checkpoint, vertex or jar does not exist.
	ErrNotFound = wire.ErrNotFound
	// ErrNoCheckpointing: the job exists and makes no checkpoints.
	ErrNoCheckpointing = wire.ErrNoCheckpointing
	// ErrNoEndpoint: this Flink serves no such path: too old, or web.submit.enable is false (/jars).
	ErrNoEndpoint = wire.ErrNoEndpoint
	// ErrTerminal: a cancel came too late, the job has ended in a state other than CANCELED.
	ErrTerminal = wire.ErrTerminal
	// ErrDuplicateJob: a jar run named a job ID that this JobManager runs or has seen end.
	ErrDuplicateJob = wire.ErrDuplicateJob
	// ErrRejected: Flink refuses the request as it stands (4xx).
	ErrRejected = wire.ErrRejected

	// ErrUnreachable: no complete HTTP answer: DNS, connection, timeout, cancelled context.
	ErrUnreachable = wire.ErrUnreachable
	// ErrTLS: one side does not accept the other's certificate, or only one of them speaks TLS.
	ErrTLS = wire.ErrTLS
	// ErrUnavailable: the JobManager is not ready: leader election, recovery, a job that is being set up.
	ErrUnavailable = wire.ErrUnavailable
	// ErrServer: Flink failed while it handled the request (5xx with its own message).
	ErrServer = wire.ErrServer
	// ErrNotFlink: a proxy, an ingress or another service answered.
	ErrNotFlink = wire.ErrNotFlink
	// ErrMalformed: a success whose body is not what Flink documents.
	ErrMalformed = wire.ErrMalformed
	// ErrSource: the reader that JarUpload was given failed.
	ErrSource = wire.ErrSource
)

// Unknown tells whether err leaves the question open: it is not nil and not Flink's own word.
func Unknown(err error) bool { return wire.Unknown(err) }
