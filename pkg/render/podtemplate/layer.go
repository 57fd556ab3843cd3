package podtemplate

import "encoding/json"

// MainContainer is the name of the container that runs Flink in every pod (Flink: Constants.MAIN_CONTAINER_NAME).
const MainContainer = "flink-main-container"

// Layers is what one component's template is made of, lowest layer first.
type Layers struct {
	// Common is spec.podTemplate; nil when the resource has none.
	Common Tree
	// Component is spec.jobManager.podTemplate or spec.taskManager.podTemplate; nil when there is none.
	Component Tree
	// Lists says how lists of the two templates merge (kubernetes.operator.pod-template.merge-arrays-by-name).
	Lists ListMerge
	// Extra are the resources other than cpu and memory that the main container asks for.
	Extra Resources
	// StartupProbe adds the probe of MakeStartupProbe to the main container, unless it has one; for the JobManager only
	// (kubernetes.operator.jm-deployment.startup.probe.enabled).
	StartupProbe bool
	// PortProbe makes that probe one that opens the port and asks nothing: REST wants a certificate of its clients
	// (security.ssl.rest.authentication-enabled), and a kubelet has none.
	PortProbe bool
}

// Resources are quantities by resource name, in Kubernetes syntax. Nil maps ask for nothing.
type Resources struct {
	// Requests become resources.requests of the main container.
	Requests map[string]string
	// Limits become resources.limits of the main container.
	Limits map[string]string
}

// Make lays the layers over each other. Nil means that the component has no template.
//
//	layer                  | no template yet     | a template
//	Common, Component      | nil                 | merged, Component wins
//	Extra, empty           | nil                 | unchanged
//	Extra, not empty       | created             | laid over the main container's own
//	StartupProbe, no probe | created             | added
//	StartupProbe, a probe  | -                   | unchanged, even when the probe is empty
//
// A main container that is missing is appended after all others.
func Make(layers Layers) Tree {
	tree := Merge(layers.Common, layers.Component, layers.Lists)
	if len(layers.Extra.Requests) > 0 || len(layers.Extra.Limits) > 0 {
		tree = orEmpty(tree)
		container := mainContainer(tree)
		addResources(container, "requests", layers.Extra.Requests)
		addResources(container, "limits", layers.Extra.Limits)
	}
	if layers.StartupProbe {
		tree = orEmpty(tree)
		container := mainContainer(tree)
		if container["startupProbe"] == nil {
			container["startupProbe"] = MakeStartupProbe(layers.PortProbe)
		}
	}
	return tree
}

// MakeStartupProbe gives the probe that keeps a JobManager pod unready until its REST endpoint answers or, with
// portOnly, until it listens. It names the port, so it cannot work where the container declares none (host network). It
// is fresh on each call.
//
// It is plain http for a REST endpoint with TLS, too, as it always was: Flink answers with a redirect, which a kubelet
// follows without looking at certificates, or takes for a success when it leads to another host.
func MakeStartupProbe(portOnly bool) map[string]any {
	probe := map[string]any{"failureThreshold": json.Number("2147483647"), "periodSeconds": json.Number("1")}
	if portOnly {
		probe["tcpSocket"] = map[string]any{"port": "rest"}
	} else {
		probe["httpGet"] = map[string]any{"path": "/config", "port": "rest"}
	}
	return probe
}

func orEmpty(tree Tree) Tree {
	if tree == nil {
		return Tree{}
	}
	return tree
}

// mainContainer finds the main container of a tree that belongs to the caller, and appends one when there is none. A
// spec or a container list of another shape is replaced: the schema of the resource does not admit one.
func mainContainer(tree Tree) map[string]any {
	spec, ok := tree["spec"].(map[string]any)
	if !ok {
		spec = map[string]any{}
		tree["spec"] = spec
	}
	containers, _ := spec["containers"].([]any)
	for _, element := range containers {
		if container, ok := element.(map[string]any); ok && container["name"] == MainContainer {
			return container
		}
	}
	container := map[string]any{"name": MainContainer}
	spec["containers"] = append(containers, container)
	return container
}

func addResources(container map[string]any, section string, quantities map[string]string) {
	if len(quantities) == 0 {
		return
	}
	resources, ok := container["resources"].(map[string]any)
	if !ok {
		resources = map[string]any{}
		container["resources"] = resources
	}
	wanted, ok := resources[section].(map[string]any)
	if !ok {
		wanted = map[string]any{}
		resources[section] = wanted
	}
	for name, quantity := range quantities {
		wanted[name] = quantity
	}
}
