package process

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
)

// Config is the configuration that a JobManager read, as flat keys and texts.
type Config map[string]string

// ReadConfig reads the data of a ConfigMap flink-config-<id>: config.yaml, nested or flat, or else the lines of
// flink-conf.yaml, as Flink's own readers do.
func ReadConfig(data map[string]string) (Config, error) {
	if text, ok := data["flink-conf.yaml"]; ok {
		return readLines(text), nil
	}
	text, ok := data["config.yaml"]
	if !ok {
		return nil, fmt.Errorf("neither config.yaml nor flink-conf.yaml")
	}
	tree := map[string]any{}
	if err := yaml.UnmarshalStrict([]byte(text), &tree); err != nil {
		return nil, fmt.Errorf("config.yaml: %w", err)
	}
	config := Config{}
	config.flatten("", tree)
	return config, nil
}

// readLines: everything from a # on is dropped, the first ": " splits, a later key wins.
func readLines(text string) Config {
	config := Config{}
	for _, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		key, value, found := strings.Cut(line, ": ")
		if key, value = strings.TrimSpace(key), strings.TrimSpace(value); found && key != "" && value != "" {
			config[key] = value
		}
	}
	return config
}

func (c Config) flatten(prefix string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			c.flatten(strings.TrimPrefix(prefix+"."+name, "."), inner)
		}
	case []any:
		var items []string
		for _, item := range v {
			items = append(items, fmt.Sprint(item))
		}
		c[prefix] = strings.Join(items, ";")
	case nil:
	default:
		c[prefix] = fmt.Sprint(v)
	}
}

// First returns the value of the first key that is set.
func (c Config) First(keys ...string) string {
	for _, key := range keys {
		if value := c[key]; value != "" {
			return value
		}
	}
	return ""
}

func (c Config) number(key string, otherwise int) int {
	if n, err := strconv.Atoi(c[key]); err == nil {
		return n
	}
	return otherwise
}

// units are Flink's labels of time (TimeUtils); a number alone is milliseconds.
var units = map[string]time.Duration{
	"d": 24 * time.Hour, "day": 24 * time.Hour, "days": 24 * time.Hour,
	"h": time.Hour, "hour": time.Hour, "hours": time.Hour,
	"min": time.Minute, "m": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"s": time.Second, "sec": time.Second, "second": time.Second, "seconds": time.Second,
	"ms": time.Millisecond, "milli": time.Millisecond, "millis": time.Millisecond, "": time.Millisecond,
}

// duration reads a duration; absent or unreadable is zero.
func (c Config) duration(key string) time.Duration {
	text := strings.ToLower(c[key])
	digits := strings.TrimLeft(text, "0123456789")
	n, err := strconv.ParseInt(strings.TrimSpace(text[:len(text)-len(digits)]), 10, 64)
	if err != nil {
		return 0
	}
	return time.Duration(n) * units[strings.TrimSpace(digits)]
}

// HA says whether high availability is configured, by Kubernetes or by ZooKeeper.
func (c Config) HA() bool {
	kind := strings.ToLower(c.First("high-availability.type", "high-availability"))
	return kind == "kubernetes" || kind == "zookeeper" ||
		kind == "org.apache.flink.kubernetes.highavailability.kuberneteshaservicesfactory"
}

// attempts is how often a job restarts before it is FAILED (RestartBackoffTimeStrategyFactoryLoader, Flink 1.20 and
// 2.2). A failure rate counts here over the whole life of the job. Without a strategy a job with checkpoints restarts
// for ever, one without does not.
func (c Config) attempts() int {
	switch strings.ToLower(c.First("restart-strategy.type", "restart-strategy")) {
	case "none", "off", "disable":
		return 0
	case "fixed-delay", "fixeddelay":
		return c.number("restart-strategy.fixed-delay.attempts", 1)
	case "failure-rate", "failurerate":
		return c.number("restart-strategy.failure-rate.max-failures-per-interval", 1)
	case "":
		if c.duration("execution.checkpointing.interval") == 0 {
			return 0
		}
	}
	return job.Endless
}

// RefreshInterval is web.refresh-interval: how old an answer about a job may be.
func (c Config) RefreshInterval() time.Duration {
	if c["web.refresh-interval"] == "" {
		return 3 * time.Second
	}
	return c.duration("web.refresh-interval")
}

// Version is the Flink version of $internal.flink.version, such as 1.20.
func (c Config) Version() string {
	if v := strings.ReplaceAll(strings.TrimPrefix(c["$internal.flink.version"], "v"), "_", "."); v != "" {
		return v
	}
	return "1.20"
}

// AtLeast compares the version.
func (c Config) AtLeast(major, minor int) bool {
	var a, b int
	if _, err := fmt.Sscanf(c.Version(), "%d.%d", &a, &b); err != nil {
		return false
	}
	return a > major || a == major && b >= minor
}

// recoveryPath is the snapshot that an application starts from. From 1.20 on the new key is the one that counts.
func (c Config) recoveryPath() string {
	if c.AtLeast(1, 20) {
		return c.First("execution.state-recovery.path", "execution.savepoint.path")
	}
	return c["execution.savepoint.path"]
}

// Keys returns the keys in order.
func (c Config) Keys() []string {
	keys := make([]string, 0, len(c))
	for key := range c {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

// overrides is the parallelism of single vertices.
func (c Config) overrides() map[string]int {
	var found map[string]int
	for pair := range strings.SplitSeq(c["pipeline.jobvertex-parallelism-overrides"], ",") {
		vertex, text, _ := strings.Cut(pair, ":")
		if p, err := strconv.Atoi(text); err == nil {
			if found == nil {
				found = map[string]int{}
			}
			found[vertex] = p
		}
	}
	return found
}
