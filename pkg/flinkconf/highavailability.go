package flinkconf

import (
	"strings"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// HAMode is the kind of high availability of a cluster.
type HAMode string

// The kinds of high availability. HACustom is a factory class of the user's own; HAUnknown means that nobody looked.
const (
	HAUnknown    HAMode = ""
	HANone       HAMode = "none"
	HAKubernetes HAMode = "kubernetes"
	HAZooKeeper  HAMode = "zookeeper"
	HACustom     HAMode = "custom"
)

// kubernetesFactory is the class that stands for Kubernetes high availability, the only spelling that Flink 1.15 knows.
const kubernetesFactory = "org.apache.flink.kubernetes.highavailability.KubernetesHaServicesFactory"

// HighAvailabilityOf reads high-availability.type and its older spellings. Text that is no known kind is a factory
// class.
func HighAvailabilityOf(c Config) HAMode {
	switch text := strings.ToLower(c.Get(key.HighAvailability)); text {
	case "none", "standalone":
		return HANone
	case "kubernetes", strings.ToLower(kubernetesFactory):
		return HAKubernetes
	case "zookeeper":
		return HAZooKeeper
	default:
		return HACustom
	}
}

// Active tells whether a cluster of this kind survives the loss of its JobManager.
func (m HAMode) Active() bool { return m != HANone && m != HAUnknown }

// tellHighAvailability writes the kind of high availability under the key, and by the name, that the image knows. Flink
// before 1.17 takes no notice of high-availability.type: it would run without high availability while the operator
// counts on its data, and TaskManagers would look for the JobManager at an address that nothing has set.
//
//	version  | high-availability.type or an older spelling | high-availability
//	---------+---------------------------------------------+--------------------------------
//	1.15     | kubernetes                                  | its factory class
//	         | another                                     | the same
//	1.16     | any                                         | the same
//	any      | not set                                     | not set
//	1.17 ... | any                                         | as the user wrote it
func tellHighAvailability(c Config, b Behaviour) {
	if b.HAKey == key.HighAvailability.Key || !c.Has(key.HighAvailability) {
		return
	}
	kind := c.Get(key.HighAvailability)
	if b.HAFactoryOnly && HighAvailabilityOf(c) == HAKubernetes {
		kind = kubernetesFactory
	}
	c[b.HAKey] = kind
}
