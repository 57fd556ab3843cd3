package flinksim

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/zookeeper"
)

// Nodes is a client of the model ZooKeeper, in the place of zookeeper.Client. Package zookeeper proves that one against
// a real server.
type Nodes struct {
	world *World
	way   http.RoundTripper
}

// ZooKeeper is a way to the model ZooKeeper for the client of that name.
func (w *World) ZooKeeper(agent string) Nodes {
	return Nodes{w, w.Tap.Transport(w.Flink.Ensemble(), agent)}
}

// Read looks at the data of a cluster.
func (n Nodes) Read(ctx context.Context, l znode.Location) (znode.Tree, bool, error) {
	if err := n.ask(ctx, http.MethodGet, l.Path, nil); err != nil {
		return nil, false, err
	}
	tree := n.tree(l)
	return tree, len(tree) > 0, nil
}

func (n Nodes) tree(l znode.Location) znode.Tree {
	var tree znode.Tree
	for _, node := range n.world.Flink.Nodes(l.Path) {
		tree = append(tree, znode.Node{
			Path: node.Path, Zxid: node.Zxid, Created: node.Created, Ephemeral: node.Ephemeral,
		})
	}
	return tree
}

// Remove removes data, under the same conditions as the real one.
func (n Nodes) Remove(ctx context.Context, r zookeeper.Removal) error {
	tree := n.tree(r.Location)
	if tree.Zxid() > r.Zxid || r.Below == nil && tree.Alive() {
		return fail.Conflictf("remove "+r.Location.Path, "Changed", "the data changed since it was seen")
	}
	query := url.Values{}
	if r.Below != nil {
		query.Set("below", strings.Join(r.Below, ","))
	}
	return n.ask(ctx, http.MethodDelete, r.Location.Path, query)
}

func (n Nodes) ask(ctx context.Context, method, path string, query url.Values) error {
	r, err := http.NewRequestWithContext(ctx, method, "http://zookeeper"+path+"?"+query.Encode(), nil)
	if err != nil {
		return err
	}
	answer, err := n.way.RoundTrip(r)
	if err != nil {
		return fail.As(fail.Transient, method+" "+path, fail.ReasonUnreachable, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fail.Transientf(method+" "+path, "ZooKeeperFailed", "%s", answer.Status)
	}
	return nil
}
