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
//	the caller has given up           Transient   Canceled
//	not allowed, identity refused     Denied      ZooKeeperDenied
//	a node is not as it was read      Conflict    Changed
//	anything else                     Transient   Unreachable
//
// Anything else has one text: a user names the servers, and whether a port of an address is open, closed or silent is
// no answer to give.
func (s *session) explain(ctx context.Context, err error) error {
	var own *fail.Error
	switch {
	case err == nil, errors.As(err, &own):
		return err
	case errors.Is(ctx.Err(), context.Canceled):
		return fail.Wrap("no response in time", ctx.Err())
	case errors.Is(err, zk.ErrNoAuth), errors.Is(err, zk.ErrAuthFailed):
		return fail.Deniedf("", "ZooKeeperDenied", "the servers refuse access: %s must name an identity that may read and "+
			"delete (%w)",
			key.ZooKeeperAuthorization.Key, err)
	case errors.Is(err, zk.ErrNotEmpty), errors.Is(err, zk.ErrNoNode), errors.Is(err, zk.ErrBadVersion):
		return fmt.Errorf("%w: %s", errMoved, err.Error())
	}
	return fail.Transientf("", fail.ReasonUnreachable, "none of its servers answered as a ZooKeeper")
}
