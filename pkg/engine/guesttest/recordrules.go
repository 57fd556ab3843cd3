package guesttest

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// SessionDeployed has a spec without a job deployed.
func SessionDeployed(t *testing.T) func(s *world.Seen) {
	return func(s *world.Seen) {
		s.Resource.Spec.Job = nil
		Deployed(t, s)
	}
}
