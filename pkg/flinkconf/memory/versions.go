package memory

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// versionOf is the Flink version of a composed configuration. A configuration without one counts as Flink 1.20, the
// version whose client the Java operator has inside.
func versionOf(c conf.Config) v1beta1.FlinkVersion {
	if text, ok := c.Lookup(key.FlinkVersion); ok {
		return v1beta1.FlinkVersion(text)
	}
	return v1beta1.FlinkV1_20
}

// readsLegacy tells whether the version still reads memory options of old.
func readsLegacy(c conf.Config) bool { return flinkconf.BehaviourOf(versionOf(c)).LegacyHeapKeys }

// capsNetwork tells whether the version bounds network memory by default.
func capsNetwork(c conf.Config) bool { return flinkconf.BehaviourOf(versionOf(c)).NetworkMemoryCapped }

// mapLegacyHeap reads the heap options of before Flink 1.11 as the process memory when that is not set. Flink 2.0
// dropped them.
func mapLegacyHeap(c conf.Config, process, heap, heapMB conf.Option) conf.Config {
	if c.Has(process) || !readsLegacy(c) {
		return c
	}
	mapped := c.Clone()
	if text, ok := c.Lookup(heap); ok {
		mapped.Set(process, text)
	} else if text, ok := c.Lookup(heapMB); ok {
		mapped.Set(process, text+" mb")
	}
	return mapped
}
