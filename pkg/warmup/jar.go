package warmup

import (
	"bytes"
	_ "embed" // the jar
)

//go:embed WarmUp.jar
var jar []byte

// Class is the one with main.
const Class = "knflink.WarmUp"

// Jar is the content of the jar, about 3 kB. Whoever has it may change it.
func Jar() []byte { return bytes.Clone(jar) }

// Configuration are the Flink options of its run: a job that fails ends, whatever the cluster's strategy is. The older
// key is for Flink before 1.19.
func Configuration() map[string]string {
	return map[string]string{"restart-strategy.type": "none", "restart-strategy": "none"}
}
