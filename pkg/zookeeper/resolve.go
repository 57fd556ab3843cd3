package zookeeper

import (
	"context"
	"errors"
	"net"
	"strings"
)

// ndots is how many dots make a name that pods try as it is written first (Kubernetes: dnsPolicy ClusterFirst).
const ndots = 5

// names are what a pod of a namespace tries for a host, in its order. Each is written so that a pod of another
// namespace of the same cluster, which this is, resolves the same: the domain of the cluster is left to its own
// resolver, and a name of that other namespace is never tried.
//
//	host                          tries
//	an address, or ends in a dot  it
//	has five dots or more         it, rooted
//	any other                     <host>.<namespace>.svc, <host>.svc, <host> if it ends in .svc, <host> rooted
func names(host, namespace string) []string {
	if namespace == "" || net.ParseIP(host) != nil || strings.HasSuffix(host, ".") {
		return []string{host}
	}
	rooted := host + "."
	if strings.Count(host, ".") >= ndots {
		return []string{rooted}
	}
	all := []string{host + "." + namespace + ".svc", host + ".svc"}
	if strings.HasSuffix(host, ".svc") {
		all = append(all, host)
	}
	return append(all, rooted)
}

type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// dialAs connects as a pod of a namespace would: to the first name that there is. The error is that of the last name,
// told of the host as it is written.
func dialAs(ctx context.Context, dial dialFunc, network, address, namespace string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return dial(ctx, network, address)
	}
	for _, name := range names(host, namespace) {
		c, dialErr := dial(ctx, network, net.JoinHostPort(name, port))
		unknown := (*net.DNSError)(nil)
		if err = dialErr; !errors.As(err, &unknown) || !unknown.IsNotFound {
			return c, err
		}
	}
	if unknown := (*net.DNSError)(nil); errors.As(err, &unknown) {
		unknown.Name = host
	}
	return nil, err
}
