package hadata

import (
	"fmt"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
)

// Store is where a configuration keeps its high-availability data.
//
//	high-availability.type                  then
//	kubernetes                              ConfigMaps of the cluster's namespace
//	zookeeper                               nodes, at the location that its options name
//	zookeeper, but we cannot look there     nowhere that we can look; Problem says which option is in the way
//	anything else                           nowhere
type Store struct {
	// Mode is the kind of high availability.
	Mode flinkconf.HAMode
	// Nodes is the place in ZooKeeper.
	Nodes znode.Location
	// Problem says why ZooKeeper cannot be looked at; empty when it can.
	Problem string
}

// StoreOf reads it out of a configuration.
func StoreOf(c flinkconf.Config) Store {
	s := Store{Mode: flinkconf.HighAvailabilityOf(c)}
	if s.Mode != flinkconf.HAZooKeeper {
		return s
	}
	at, err := znode.At(c)
	if err != nil {
		s.Problem = "High-availability data in ZooKeeper is not read: " + err.Error() + "."
	}
	s.Nodes = at
	return s
}

// Readable reports whether there is such a place and we can look at it.
func (s Store) Readable() bool { return s.Mode == flinkconf.HAKubernetes || s.InZooKeeper() }

// InZooKeeper reports whether the place is in ZooKeeper, and we can look at it.
func (s Store) InZooKeeper() bool { return s.Mode == flinkconf.HAZooKeeper && s.Problem == "" }

// Unreadable reports whether the place is in ZooKeeper, and nobody but Flink can look at it.
func (s Store) Unreadable() bool { return s.Mode == flinkconf.HAZooKeeper && s.Problem != "" }

// Removal is how a person removes the data of a cluster, as a command; empty when the place is not in ZooKeeper.
func (s Store) Removal() string {
	if s.Mode != flinkconf.HAZooKeeper || len(s.Nodes.Servers) == 0 {
		return ""
	}
	return fmt.Sprintf("zkCli.sh -server %s deleteall %s", strings.Join(s.Nodes.Servers, ","), s.Nodes.Path)
}

// Same reports whether two configurations keep their data in one place.
func (s Store) Same(other Store) bool {
	return s.Mode == other.Mode && (s.Mode != flinkconf.HAZooKeeper || s.Nodes.Same(other.Nodes))
}
