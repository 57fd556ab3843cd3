package main

import (
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"time"

	"github.com/kelseyhightower/envconfig"
	"k8s.io/client-go/rest"
	"knative.dev/pkg/signals"

	"github.com/kn-flink/kn-flink/pkg/serve"
)

// component names the function towards the API server, and so its writes in managedFields.
const component = "console"

// environment is what the function takes from its environment variables. The manifest in config/console sets them.
type environment struct {
	// Namespace is that of the installation.
	Namespace string `envconfig:"SYSTEM_NAMESPACE" default:"flink-system"`
	// Host and Port are where it listens.
	Host string `envconfig:"LISTEN_HOST"`
	Port int    `envconfig:"PORT" default:"8080"`
	// APIHost and APIPort are the API server's; Kubernetes sets them in each pod.
	APIHost string `envconfig:"KUBERNETES_SERVICE_HOST" required:"true"`
	APIPort string `envconfig:"KUBERNETES_SERVICE_PORT" required:"true"`
	// Actions is whether users may make changes, with their own rights.
	Actions bool `envconfig:"CONSOLE_ACTIONS"`
	// CAFile has the certificates that the API server is trusted by.
	CAFile string `envconfig:"KUBERNETES_CA_FILE" default:"/etc/kubernetes-ca/ca.crt"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, component+":", err)
		os.Exit(1)
	}
}

func run() error {
	var e environment
	if err := envconfig.Process("", &e); err != nil {
		return fmt.Errorf("read the environment: %w", err)
	}
	ca, err := os.ReadFile(e.CAFile)
	if err != nil {
		return fmt.Errorf("read the CA of the API server, mount ConfigMap kube-root-ca.crt: %w", err)
	}
	server := &rest.Config{
		Host: "https://" + net.JoinHostPort(e.APIHost, e.APIPort), TLSClientConfig: rest.TLSClientConfig{CAData: ca},
	}
	handler := newHandler(server, setup{
		system: e.Namespace, version: version(), actions: e.Actions, now: time.Now,
	})
	return serve.Until(signals.NewContext(), e.Host, e.Port, handler)
}

// version is the one that the binary was built at; empty where it is not known.
func version() string {
	info, known := debug.ReadBuildInfo()
	if !known || info.Main.Version == "(devel)" {
		return ""
	}
	return info.Main.Version
}
