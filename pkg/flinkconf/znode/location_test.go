package znode_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
)

const (
	quorum        = "high-availability.zookeeper.quorum"
	root          = "high-availability.zookeeper.path.root"
	id            = "high-availability.cluster-id"
	acl           = "high-availability.zookeeper.client.acl"
	authorization = "high-availability.zookeeper.client.authorization"
)

func TestAt(t *testing.T) {
	rows := map[string]struct {
		config        conf.Config
		servers, path string
		reason        string
	}{
		"the usual": {
			conf.Config{quorum: "zk-0.zk:2181,zk-1.zk:2182", id: "demo"}, "zk-0.zk:2181 zk-1.zk:2182", "/flink/demo",
			"below Flink's default root",
		},
		"without port": {conf.Config{quorum: "zk", id: "demo"}, "zk:2181", "/flink/demo", "ZooKeeper's own port"},
		"with blanks": {
			conf.Config{quorum: " zk:1 , zk2:2 ", id: "demo"}, "zk:1 zk2:2", "/flink/demo", "Flink takes white space out",
		},
		"a comma too many": {
			conf.Config{quorum: "zk:1,,", id: "demo"}, "zk:1", "/flink/demo", "there is no server without a name",
		},
		"IPv6": {
			conf.Config{quorum: "[::1]:5,[::2]", id: "demo"}, "[::1]:5 [::2]:2181", "/flink/demo",
			"an address has colons of its own",
		},
		"a chroot": {
			conf.Config{quorum: "a:1,b:1/team/x", id: "demo"}, "a:1 b:1", "/team/x/flink/demo",
			"it belongs to the connection, not to the last server",
		},
		"a root": {
			conf.Config{quorum: "a:1", root: "/flink/team-a/", id: "/demo"}, "a:1", "/flink/team-a/demo",
			"slashes at the ends do not count",
		},
		"the empty root": {
			conf.Config{quorum: "a:1", root: "/", id: "demo"}, "a:1", "/demo", "right below ZooKeeper's root",
		},
		"older keys": {
			conf.Config{"recovery.zookeeper.quorum": "a:1", "high-availability.zookeeper.path.namespace": "demo"}, "a:1",
			"/flink/demo", "Flink still knows them",
		},
		"open": {conf.Config{quorum: "a:1", id: "demo", acl: "open"}, "a:1", "/flink/demo", "everybody may look"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			l, err := znode.At(row.config)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(l.Servers, " "); got != row.servers || l.Path != row.path {
				t.Errorf("%s %s, want %s %s: %s", got, l.Path, row.servers, row.path, row.reason)
			}
		})
	}
}

func TestWhatCannotBeLookedAt(t *testing.T) {
	rows := map[string]struct {
		config conf.Config
		want   string
	}{
		"no quorum":            {conf.Config{id: "demo"}, quorum + " is not set"},
		"an empty quorum":      {conf.Config{quorum: " , "}, quorum + " is not set"},
		"Kerberos":             {conf.Config{quorum: "a", acl: "Creator"}, "Kerberos for ZooKeeper is not supported"},
		"no map of identities": {conf.Config{quorum: "a", authorization: "digest:me:secret"}, authorization + " is no map"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if _, err := znode.At(row.config); err == nil || !strings.Contains(err.Error(), row.want) ||
				strings.Contains(err.Error(), "secret") {
				t.Errorf("%v, want %q", err, row.want)
			}
		})
	}
}

func TestCredentials(t *testing.T) {
	l, err := znode.At(conf.Config{
		quorum: "a:1", id: "demo", acl: "creator", authorization: "digest:'me:secret',auth:'x:secret'",
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(
		[]znode.Credential{{Scheme: "auth", Secret: "x:secret"}, {Scheme: "digest", Secret: "me:secret"}}, l.Credentials,
	); diff != "" {
		t.Error(diff)
	}
	text, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	if printed := fmt.Sprintf("%v %+v %#v %s", l, l, l, text); strings.Contains(printed, "secret") {
		t.Errorf("a secret is printed: %s", printed)
	}
}

func TestJobGraphs(t *testing.T) {
	rows := map[string]struct {
		config conf.Config
		want   string
	}{
		"defaults": {conf.Config{quorum: "a"}, "execution-plans jobgraphs"},
		"moved":    {conf.Config{quorum: "a", "high-availability.zookeeper.path.jobgraphs": "/graphs"}, "graphs"},
		"both moved": {conf.Config{quorum: "a", "high-availability.zookeeper.path.jobgraphs": "/graphs",
			"high-availability.zookeeper.path.execution-plans": "/plans"}, "graphs plans"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			l, err := znode.At(row.config)
			if got := strings.Join(l.JobGraphs(), " "); err != nil || got != row.want {
				t.Errorf("%s (%v), want %s: Flink 1 and 2 keep them apart", got, err, row.want)
			}
		})
	}
}

func TestSame(t *testing.T) {
	a := znode.Location{Servers: []string{"a:1"}, Path: "/flink/demo"}
	b := a
	b.Credentials = []znode.Credential{{Scheme: "digest", Secret: "x"}}
	if !a.Same(b) {
		t.Error("who looks is no place")
	}
	for _, other := range []znode.Location{
		{Servers: []string{"b:1"}, Path: "/flink/demo"}, {Servers: []string{"a:1"}, Path: "/flink/x/demo"},
	} {
		if a.Same(other) {
			t.Errorf("%v is another place", other)
		}
	}
}
