package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// object is what the drawing needs of an object of Knative.
type object struct {
	Kind     string `yaml:"kind"`
	Metadata struct {
		Name string `yaml:"name"`
	} `yaml:"metadata"`
	Spec struct {
		Broker     string `yaml:"broker"`
		Subscriber sink   `yaml:"subscriber"`
		Sink       sink   `yaml:"sink"`
	} `yaml:"spec"`
}

type sink struct {
	Ref struct {
		Name string `yaml:"name"`
	} `yaml:"ref"`
}

// topology draws the sources, Brokers, Triggers and functions of a folder of manifests.
func topology(folder string) (string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return "", err
	}
	var objects []object
	for _, file := range files {
		more, err := read(file)
		if err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		objects = append(objects, more...)
	}
	var out strings.Builder
	out.WriteString("flowchart LR\n  you([kubectl apply]) --> api[Kubernetes API]\n  api -->|before it is stored| admit\n")
	edges := 0
	for _, o := range objects {
		switch o.Kind {
		case "ApiServerSource", "PingSource":
			fmt.Fprintf(&out, "  %s[%s %s] --> %s\n", o.Metadata.Name, o.Kind, o.Metadata.Name, o.Spec.Sink.Ref.Name)
			edges++
		case "Broker":
			fmt.Fprintf(&out, "  %s{{Broker %s}}\n", o.Metadata.Name, o.Metadata.Name)
		case "Trigger":
			fmt.Fprintf(&out, "  %s -->|Trigger %s| %s\n", o.Spec.Broker, o.Metadata.Name, o.Spec.Subscriber.Ref.Name)
			edges++
		}
	}
	if edges < 4 {
		return "", errors.New("the manifests have fewer than four sources and Triggers")
	}
	out.WriteString("  api -->|changes| flink\n  observe -->|asks for a pass| flink-control\n" +
		"  reconcile -->|status, Flink clusters| api\n  reconcile -->|what happened| flink-events\n" +
		"  flink-events --> listeners([your Triggers])\n")
	return out.String(), nil
}

// read reads the objects of a file of YAML documents.
func read(file string) ([]object, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var found []object
	for decoder := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var o object
		err := decoder.Decode(&o)
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		found = append(found, o)
	}
}
