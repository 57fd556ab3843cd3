package zookeeper

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-zookeeper/zk"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
)

func operation(verb string, l znode.Location) string {
	return fmt.Sprintf("%s %s in ZooKeeper at %s", verb, l.Path, strings.Join(l.Servers, ","))
}

// explain classifies an error of the library.
//
//	error                             kind        reason
//	the context has ended             its own     Timeout, Canceled
//	not allowed, identity refused     Denied      ZooKeeperDenied
//	a node is not as it was read      Conflict    Changed
//	no server could be reached        Transient   Unreachable, with what the last of them said
//	anything else                     Transient   ZooKeeperFailed
func (s *session) explain(ctx context.Context, err error) error {
	s.mu.Lock()
	dialErr := s.dialErr
	s.mu.Unlock()
	var own *fail.Error
	switch {
	case err == nil, errors.As(err, &own):
		return err
	case ctx.Err() != nil:
		return fail.Wrap("no response in time", ctx.Err())
	case errors.Is(err, zk.ErrNoAuth), errors.Is(err, zk.ErrAuthFailed):
		return fail.Deniedf("", "ZooKeeperDenied", "the servers refuse access: %s must name an identity that may read and "+
			"delete (%w)",
			key.ZooKeeperAuthorization.Key, err)
	case errors.Is(err, zk.ErrNotEmpty), errors.Is(err, zk.ErrNoNode), errors.Is(err, zk.ErrBadVersion):
		return fmt.Errorf("%w: %v", errMoved, err)
	case errors.Is(err, zk.ErrNoServer) && dialErr != nil:
		return fail.As(fail.Transient, "", fail.ReasonUnreachable, dialErr)
	}
	return fail.As(fail.Transient, "", "ZooKeeperFailed", err)
}
