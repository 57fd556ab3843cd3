package certs

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/kube"
)

// API is what a renewal needs of the API server. kube.Client has it.
type API interface {
	// Get reads one object; found is false when there is none.
	Get(ctx context.Context, o kube.Object) (u *unstructured.Unstructured, found bool, err error)
	// Create makes an object; an existing one is an AlreadyExists error.
	Create(ctx context.Context, o kube.Object, object any) (*unstructured.Unstructured, error)
	// MergePatch applies a JSON merge patch; the resourceVersion in it is a precondition, and a Conflict error if it is
	// stale.
	MergePatch(ctx context.Context, o kube.Object, patch map[string]any) (*unstructured.Unstructured, error)
	// Delete removes the object with that UID; one that is gone is a success, another one a Conflict error.
	Delete(ctx context.Context, o kube.Object, uid types.UID, options ...func(*metav1.DeleteOptions)) error
}

// Renewer keeps one serving certificate good and trusted. Safe for concurrent use, in one process and in several.
type Renewer struct {
	// API reads and writes the three objects.
	API API
	// Namespace is that of the Secret: where the DomainMapping that serves the certificate lives.
	Namespace string
	// Secret is the Secret's name, DomainMapping spec.tls.secretName.
	Secret string
	// Webhooks is the name that the validating and the mutating webhook configuration share. One of them may be absent.
	Webhooks string
	// Beside is the name of others that call the same Service, and may be absent or empty. No name is none.
	Beside string
	// EventKey is the name of the Secret with the key by which the functions sign their events. No name is none.
	EventKey string
	// Calls maps the name of a webhook to the first part of the path that it calls, as "/validate".
	Calls map[string]string
	// Now is the clock.
	Now func() time.Time
}

// Result says what a renewal found and did.
type Result struct {
	// Renewed is why a new certificate was made; empty when the stored one is good.
	Renewed string
	// Written counts the writes of webhook configurations: of caBundles, and of paths.
	Written int
	// Moved is whether another path is called from now on.
	Moved bool
	// NotAfter is the end of the life of the certificate that is now stored.
	NotAfter time.Time
}
