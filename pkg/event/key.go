package event

import (
	"fmt"
	"strings"

	cloudevents "github.com/cloudevents/sdk-go/v2"
	"github.com/cloudevents/sdk-go/v2/types"
)

// Key names the object that an event speaks of. It is all that a handler takes from an event.
type Key struct {
	// Kind is the Kubernetes kind, as FlinkDeployment or Deployment.
	Kind string
	// Namespace is the object's namespace.
	Namespace string
	// Name is the object's name.
	Name string
}

// String is "<namespace>/<Kind>/<name>", the subject of our own events and the key of log lines.
func (k Key) String() string { return k.Namespace + "/" + k.Kind + "/" + k.Name }

// ParseKey reads the form that String prints.
func ParseKey(text string) (Key, error) {
	parts := strings.Split(text, "/")
	if len(parts) != 3 || parts[0] == "" || parts[1] == "" || parts[2] == "" {
		return Key{}, fmt.Errorf("key %q: want <namespace>/<Kind>/<name>", text)
	}
	return Key{Namespace: parts[0], Kind: parts[1], Name: parts[2]}, nil
}

// KeyOf reads the key from an event of an ApiServerSource in Reference mode or from one of ours. Another type, or one
// without a name, is an error that says what is missing: such an event stays malformed however often it is sent.
func KeyOf(e cloudevents.Event) (Key, error) {
	switch {
	case strings.HasPrefix(e.Type(), prefixAPIServer):
		key := Key{Kind: extension(e, extKind), Namespace: extension(e, extNamespace), Name: extension(e, extName)}
		if key.Kind == "" || key.Namespace == "" || key.Name == "" {
			return Key{}, fmt.Errorf("event %s of type %s: extensions kind, namespace and name are needed, got %q, %q, %q",
				e.ID(), e.Type(), key.Kind, key.Namespace, key.Name)
		}
		return key, nil
	case e.Type() == TypePassRequested, e.Type() == TypeUploadRequested:
		key, err := ParseKey(e.Subject())
		if err != nil {
			return Key{}, fmt.Errorf("event %s of type %s: subject: %w", e.ID(), e.Type(), err)
		}
		return key, nil
	}
	return Key{}, fmt.Errorf("event %s: type %q names no object", e.ID(), e.Type())
}

// IsAPIServer reports whether the event comes from an ApiServerSource.
func IsAPIServer(e cloudevents.Event) bool { return strings.HasPrefix(e.Type(), prefixAPIServer) }

// IsDelete reports whether the event says that its object is gone.
func IsDelete(e cloudevents.Event) bool { return e.Type() == typeAPIServerDelete }

func extension(e cloudevents.Event, name string) string {
	text, err := types.ToString(e.Extensions()[name])
	if err != nil {
		return ""
	}
	return text
}
