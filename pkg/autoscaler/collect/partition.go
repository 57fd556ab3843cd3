package collect

import "regexp"

// kafka and pulsar match the names of metrics that a source has for each partition it reads. Their groups tell
// partitions apart.
var (
	kafka = regexp.MustCompile(
		`^.*?(?:\.kafkaCluster\.(.+))?\.KafkaSourceReader\.topic\.(.+)\.partition\.(\d+)\.currentOffset$`,
	)
	pulsar = regexp.MustCompile(`^.*\.PulsarConsumer\.(.+)-partition-(\d+)\..*\.numMsgsReceived$`)
)

// Partitions counts the partitions that a source reads, by the names of its metrics; 0 when they do not tell.
func Partitions(names []string) int {
	found := map[[3]string]bool{}
	for _, name := range names {
		if m := kafka.FindStringSubmatch(name); m != nil {
			found[[3]string{m[1], m[2], m[3]}] = true
		} else if m := pulsar.FindStringSubmatch(name); m != nil {
			found[[3]string{"", m[1], m[2]}] = true
		}
	}
	return len(found)
}
