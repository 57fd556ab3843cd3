package flinkconf

import (
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// Unreadable are the values of a configuration that cannot be read as the options that they are, by their keys. Each
// key is read for itself: one that a newer spelling hides is unreadable, too. An empty version is any.
//
//	option                                       read
//	one that nothing reads here (key.NoEffect)   never
//	heap options of before Flink 1.11            before Flink 2.0
//	high-availability.jobmanager.port            with high availability
//	any other                                    always
func Unreadable(c Config, v v1beta1.FlinkVersion) []*conf.ValueError {
	var wrong []*conf.ValueError
	for _, name := range c.Keys() {
		for _, o := range key.Spelled(name) {
			if !reads(c, o, v) {
				continue
			}
			if err := c.CheckAt(name, o); err != nil {
				wrong = append(wrong, err)
				break
			}
		}
	}
	return wrong
}

func reads(c Config, o Option, v v1beta1.FlinkVersion) bool {
	switch o.Key {
	case key.JobManagerLegacyHeap.Key, key.JobManagerLegacyHeapMB.Key, key.TaskManagerLegacyHeap.Key,
		key.TaskManagerLegacyHeapMB.Key:
		return v == "" || BehaviourOf(v).LegacyHeapKeys
	case key.HAJobManagerPort.Key:
		return HighAvailabilityOf(c).Active()
	}
	return true
}

// OwnUnreadable are those of the operator and the autoscaler, which count without a new deployment.
func OwnUnreadable(c Config) []*conf.ValueError {
	return slices.DeleteFunc(Unreadable(c, ""), func(e *conf.ValueError) bool { return !isOurs(e.Key) })
}

// unreadableLayers are the values of the base configuration that cannot be read: its own, and those that it has for a
// namespace or a Flink version, by their whole keys.
func (o Operator) unreadableLayers() []*conf.ValueError {
	wrong := Unreadable(o.base, "")
	for _, prefix := range []string{key.NamespaceDefaultPrefix, key.VersionDefaultPrefix} {
		layers := map[string]Config{}
		for name, text := range o.base.WithPrefix(prefix) {
			if layer, option, ok := strings.Cut(name, "."); ok {
				if layers[layer] == nil {
					layers[layer] = Config{}
				}
				layers[layer][option] = text
			}
		}
		for layer, c := range layers {
			for _, e := range Unreadable(c, "") {
				e.Key = prefix + layer + "." + e.Key
				wrong = append(wrong, e)
			}
		}
	}
	return wrong
}
