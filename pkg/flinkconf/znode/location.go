package znode

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// Location is where the data of one cluster lies, and as whom to look.
type Location struct {
	// Servers are host:port of the ensemble, without its chroot. Never empty.
	Servers []string
	// Namespace is the cluster's: names of servers are resolved as its pods do. Empty resolves them as they are written.
	Namespace string
	// Path is the cluster's node, absolute, with the chroot of the quorum.
	Path string
	// Credentials are shown to the servers; high-availability.zookeeper.client.authorization, sorted by scheme.
	Credentials []Credential
	// Graphs and Plans are the nodes below Path that hold what is to run, for Flink before 2.0, and since.
	Graphs, Plans string
}

// JobGraphs are the nodes below Path that hold what is to run, of all Flink versions, sorted; none of no location.
func (l Location) JobGraphs() []string {
	if l.Path == "" {
		return nil
	}
	all := []string{l.Graphs, l.Plans}
	slices.Sort(all)
	return slices.Compact(all)
}

// Credential is one identity in a scheme of ZooKeeper's. It prints without its secret.
type Credential struct {
	// Scheme is ZooKeeper's, such as digest.
	Scheme string
	// Secret is what the scheme wants, such as user:password.
	Secret string
}

// String is the scheme alone.
func (c Credential) String() string { return c.Scheme + ":***" }

// GoString is the scheme alone.
func (c Credential) GoString() string { return c.String() }

// MarshalText is the scheme alone.
func (c Credential) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Same reports whether two locations are one place. Who looks, and from where, does not count.
func (l Location) Same(other Location) bool {
	return l.Path == other.Path && slices.Equal(l.Servers, other.Servers)
}

// defaultPort is ZooKeeper's own for clients.
const defaultPort = "2181"

// At reads the location out of a configuration with ZooKeeper high availability. The error says which option stands in
// the way, and what follows from it is that nobody but Flink itself can look at the data, though it may be known where
// that lies:
//
//	option                                              problem
//	high-availability.zookeeper.quorum                  not set
//	high-availability.zookeeper.client.acl              creator without client.authorization: Kerberos, which we cannot
//	                                                    speak
//	high-availability.zookeeper.client.authorization    no map
func At(c conf.Config) (Location, error) {
	servers, chroot := splitQuorum(c.Get(key.ZooKeeperQuorum))
	if len(servers) == 0 {
		return Location{}, errors.New(key.ZooKeeperQuorum.Key + " is not set")
	}
	identities, err := c.Map(key.ZooKeeperAuthorization)
	if err != nil {
		// its text is secret
		return Location{}, fmt.Errorf("%s is no map of schemes to identities", key.ZooKeeperAuthorization.Key)
	}
	l := Location{
		Servers: servers, Path: join(chroot, c.Get(key.ZooKeeperRoot), c.Get(key.HAClusterID)),
		Graphs: relative(c.Get(key.ZooKeeperJobGraphs)), Plans: relative(c.Get(key.ZooKeeperExecutionPlans)),
	}
	for scheme, secret := range identities {
		l.Credentials = append(l.Credentials, Credential{Scheme: scheme, Secret: secret})
	}
	slices.SortFunc(l.Credentials, func(a, b Credential) int { return strings.Compare(a.Scheme, b.Scheme) })
	if strings.EqualFold(c.Get(key.ZooKeeperACL), "creator") && len(identities) == 0 {
		return l, fmt.Errorf(
			"%s is creator without %s: Kerberos for ZooKeeper is not supported", key.ZooKeeperACL.Key,
			key.ZooKeeperAuthorization.Key,
		)
	}
	return l, nil
}

// splitQuorum splits host[:port],host[:port]/chroot. White space does not count.
func splitQuorum(text string) (servers []string, chroot string) {
	text = strings.Join(strings.Fields(text), "")
	text, chroot, _ = strings.Cut(text, "/")
	for s := range strings.SplitSeq(text, ",") {
		switch {
		case s == "":
			continue
		case strings.LastIndex(s, ":") <= strings.LastIndex(s, "]") && !strings.Contains(strings.TrimSuffix(s, "]"), "]:"):
			s += ":" + defaultPort
		}
		servers = append(servers, s)
	}
	return servers, chroot
}

// join makes an absolute path of parts that may or may not have slashes, as Flink does.
func join(parts ...string) string {
	path := ""
	for _, p := range parts {
		if p = relative(p); p != "" {
			path += "/" + p
		}
	}
	return path
}

func relative(path string) string { return strings.Trim(path, "/") }
