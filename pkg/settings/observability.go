package settings

import (
	"fmt"

	"github.com/kelseyhightower/envconfig"
)

// Observability is what a function needs to be told before it makes its first request: where metrics go, and how to
// log. It counts from the start of a function to its end.
type Observability struct {
	// Namespace is that of the installation; SYSTEM_NAMESPACE.
	Namespace string
	// Config is the content of ConfigMap config-observability; empty means that no metrics are pushed.
	Config map[string]string
	// Logging is the content of ConfigMap config-logging; empty means the built-in logging configuration.
	Logging map[string]string
}

// LoadObservability reads the environment and two mounted directories. A missing directory counts as empty.
func LoadObservability() (Observability, error) {
	var env environment
	if err := envconfig.Process("", &env); err != nil {
		return Observability{}, fmt.Errorf("read the environment: %w", err)
	}
	config, err := loadDir(env.TelemetryDir)
	if err != nil {
		return Observability{}, err
	}
	logging, err := loadDir(env.LoggingDir)
	return Observability{Namespace: env.Namespace, Config: config, Logging: logging}, err
}
