package zookeeper

import (
	"context"
	"errors"
	"net"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"
	"golang.org/x/sync/errgroup"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
)

// The longest that a call may take. A pass has 20 s and several looks.
const (
	readTimeout   = 5 * time.Second
	removeTimeout = 10 * time.Second
)

// Client reaches ZooKeeper. The zero value is ready to use; safe for concurrent use.
type Client struct {
	// Dial connects to a server; nil is the network's own, to addresses that reach.Server permits.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Read looks at the data of a cluster; found is false when there is none. It fails with kind Denied when the servers do
// not let us look, else with Transient.
func (c Client) Read(ctx context.Context, l znode.Location) (tree znode.Tree, found bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	s, err := c.begin(ctx, l)
	if err != nil {
		return nil, false, fail.Wrap(operation("read", l), err)
	}
	defer s.end()
	tree, err = s.read(ctx, l.Path)
	if err != nil {
		return nil, false, fail.Wrap(operation("read", l), err)
	}
	return tree, len(tree) > 0, nil
}

// Removal is what to remove of a cluster's data, and what must still hold.
type Removal struct {
	// Location is where the data lies.
	Location znode.Location
	// Zxid is the newest change that was seen, as Tree.Zxid has it.
	Zxid int64
	// Below are the nodes to remove with everything below them, relative to the cluster's node. Nil is all of it.
	Below []string
}

// Remove removes data that nobody uses any more. What is gone already is removed. It fails with kind Conflict when
// something was written since it was seen, or, where all of it is to go, while some process has its session open.
func (c Client) Remove(ctx context.Context, r Removal) error {
	ctx, cancel := context.WithTimeout(ctx, removeTimeout)
	defer cancel()
	s, err := c.begin(ctx, r.Location)
	if err != nil {
		return fail.Wrap(operation("remove", r.Location), err)
	}
	defer s.end()
	for range maxTries {
		err = s.remove(ctx, r)
		if !errors.Is(err, errMoved) {
			break
		}
	}
	return fail.Wrap(operation("remove", r.Location), err)
}

// maxTries is how often a removal is tried whose nodes go away by themselves, as those of sessions do.
const maxTries = 3

// errMoved means that the tree is not the one that was just read.
var errMoved = fail.Conflictf("", "Changed", "the data changed while it was being removed")

func (s *session) remove(ctx context.Context, r Removal) error {
	tree, err := s.read(ctx, r.Location.Path)
	if err != nil || len(tree) == 0 {
		return err
	}
	switch {
	case tree.Zxid() > r.Zxid:
		return fail.Conflictf("", "Changed", "the data changed since it was seen")
	case r.Below == nil && tree.Alive():
		return fail.Conflictf("", "SessionOpen", "a process has its session open")
	}
	below := r.Below
	if below == nil {
		below = []string{""}
	}
	var doomed znode.Tree
	for _, b := range below {
		doomed = append(doomed, tree.Below(b)...)
	}
	slices.Reverse(doomed) // children before parents
	for batch := range slices.Chunk(doomed, maxBatch) {
		ops := make([]any, 0, len(batch))
		for _, n := range batch {
			ops = append(ops, &zk.DeleteRequest{Path: absolute(r.Location.Path, n.Path), Version: n.Version})
		}
		if _, err := s.conn.Multi(ops...); err != nil {
			return s.explain(ctx, err)
		}
	}
	return nil
}

const (
	// maxNodes bounds what is read: a cluster keeps a few dozen nodes.
	maxNodes = 20000
	// maxBatch bounds a removal that is done as a whole, so that it stays below ZooKeeper's 1 MiB.
	maxBatch = 1000
	// atOnce is how many questions are under way.
	atOnce = 16
)

// read reads a node and everything below, level by level. Without that node the tree is empty.
func (s *session) read(ctx context.Context, root string) (znode.Tree, error) {
	if _, err := s.conn.Sync(root); err != nil && !errors.Is(err, zk.ErrNoNode) {
		return nil, s.explain(ctx, err)
	}
	var tree znode.Tree
	level := []string{""}
	for len(level) > 0 {
		nodes, next, err := s.readLevel(ctx, root, level)
		if err != nil {
			return nil, s.explain(ctx, err)
		}
		tree, level = append(tree, nodes...), next
		if len(tree)+len(level) > maxNodes {
			return nil, fail.Invalidf("", "ZooKeeperTooMuch", "there are more than %d nodes", maxNodes)
		}
	}
	return tree, nil
}

func (s *session) readLevel(ctx context.Context, root string, level []string) (znode.Tree, []string, error) {
	var (
		mu    sync.Mutex
		nodes znode.Tree
		next  []string
	)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, p := range level {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err // another question failed, or the time is up
			}
			names, stat, err := s.conn.Children(absolute(root, p))
			if errors.Is(err, zk.ErrNoNode) {
				return nil // it has gone since its parent was read
			}
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			nodes = append(nodes, znode.Node{
				Path: p, Version: stat.Version, Zxid: max(stat.Czxid, stat.Mzxid), Created: stat.Czxid,
				Ephemeral: stat.EphemeralOwner != 0,
			})
			for _, name := range names {
				next = append(next, strings.TrimPrefix(p+"/"+name, "/"))
			}
			return nil
		})
	}
	err := group.Wait()
	slices.SortFunc(nodes, func(a, b znode.Node) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(next)
	return nodes, next, err
}

func absolute(root, relative string) string { return path.Join(root, relative) }
