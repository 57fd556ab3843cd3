package inspect

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/doctor"
	"github.com/kn-flink/kn-flink/pkg/kube"
)

// Canary is how a probe is made.
type Canary struct {
	// Client writes it as the user.
	Client *kube.Client
	// Namespace is one that the installation watches.
	Namespace string
	// Now is the clock.
	Now func() time.Time
	// Pace is how often the canary is read, Limit how long it is waited for.
	Pace, Limit time.Duration
}

// canaryName belongs to the resource.
const canaryName = "kn-flink-probe"

// Probe makes a canary, waits until its answers prove each part, and deletes it. An error is that of a write.
func Probe(ctx context.Context, c Canary) (lines []doctor.Line, err error) {
	at := kube.Object{Resource: v1beta1.FlinkDeploymentGVR, Namespace: c.Namespace, Name: canaryName}
	made, err := c.Client.Create(ctx, at, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1beta1.GroupVersion.String(), "kind": v1beta1.KindFlinkDeployment,
		"metadata": map[string]any{
			"name": canaryName, "namespace": c.Namespace, "labels": map[string]any{v1beta1.LabelCanary: "true"},
		},
	}})
	if err != nil {
		return nil, err
	}
	defer func() {
		ctx := context.WithoutCancel(ctx)
		if failed := c.Client.Delete(ctx, at, made.GetUID()); failed != nil && err == nil {
			err = fmt.Errorf("the probe is done, and its canary is left: %w", failed)
		}
	}()
	return c.follow(ctx, at)
}

// follow reads the canary until it has proved all, or the time is over.
func (c Canary) follow(ctx context.Context, at kube.Object) ([]doctor.Line, error) {
	begun := c.Now()
	var proof doctor.Proof
	for {
		u, there, err := c.Client.Get(ctx, at)
		if err != nil {
			return nil, err
		}
		if !there {
			return nil, fmt.Errorf("%s was deleted while it was waited for", at)
		}
		took := c.Now().Sub(begun)
		if proof = proof.Seen(v1beta1.CanaryOf(u), took); proof.Whole() || took > c.Limit {
			return proof.Findings(), nil
		}
		wait := time.NewTimer(c.Pace)
		select {
		case <-ctx.Done():
			wait.Stop()
			return nil, ctx.Err()
		case <-wait.C:
		}
	}
}
