package validation

import (
	"strings"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// sharedPath warns of data in ZooKeeper that a cluster of the same name in another namespace would share: its node is
// named after the cluster alone, unless an option says otherwise.
func (s *settings) sharedPath(namespace string) {
	if flinkconf.HighAvailabilityOf(s.effective) != flinkconf.HAZooKeeper || namespace == "" {
		return
	}
	_, chroot, _ := strings.Cut(s.effective.Get(key.ZooKeeperQuorum), "/")
	path := strings.Join([]string{chroot, s.effective.Get(key.ZooKeeperRoot), s.effective.Get(key.HAClusterID)}, "/")
	if !strings.Contains(path, namespace) {
		s.report.warn("flinkConfiguration", key.ZooKeeperRoot.Key+" does not name the namespace: a cluster of this name in "+
			"another namespace with the same ZooKeeper has the same node, and each of them takes the jobs of the other",
			"set "+key.ZooKeeperRoot.Key+", for example to /flink/"+namespace)
	}
}
