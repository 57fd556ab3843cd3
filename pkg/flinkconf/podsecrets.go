package flinkconf

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// podSecrets are the values by name, and the commands with their arguments, of a pod template:
//
//	where                    name
//	annotations              that of the annotation
//	environment variables    that of the variable. Of several in containers of one name the last counts, if it has a
//	                         value
//	headers of probes and    that of the header; Authorization and Cookie are secret whatever they are
//	  of lifecycle handlers
//	attributes of volumes    that of the attribute
//	commands, arguments, of  as a program's arguments
//	  probes and handlers too
func podSecrets(t corev1.PodTemplateSpec) (values []map[string]string, commands [][]string) {
	named := map[string]string{}
	for _, c := range slices.Concat(t.Spec.InitContainers, t.Spec.Containers) {
		for _, e := range c.Env {
			if e.Value != "" {
				named[c.Name+"."+e.Name] = e.Value
			}
		}
		commands = append(commands, slices.Concat(c.Command, c.Args))
		for i, a := range asked(c) {
			if a.exec != nil {
				commands = append(commands, a.exec.Command)
			}
			if a.get == nil {
				continue
			}
			for _, h := range a.get.HTTPHeaders {
				named[c.Name+"."+strconv.Itoa(i)+"."+headerName(h.Name)] = h.Value
			}
		}
	}
	for _, v := range t.Spec.Volumes {
		if v.CSI != nil {
			values = append(values, v.CSI.VolumeAttributes)
		}
	}
	return append(values, t.Annotations, named), commands
}

// headerName is a name that says whether a header's value is secret.
func headerName(name string) string {
	switch strings.ToLower(name) {
	case "authorization", "proxy-authorization", "cookie":
		return "secret." + name
	}
	return name
}

// ask is how the kubelet asks a container, or tells it, something.
type ask struct {
	exec *corev1.ExecAction
	get  *corev1.HTTPGetAction
}

func asked(c corev1.Container) []ask {
	var all []ask
	for _, p := range []*corev1.Probe{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe} {
		if p != nil {
			all = append(all, ask{p.Exec, p.HTTPGet})
		}
	}
	if c.Lifecycle == nil {
		return all
	}
	for _, h := range []*corev1.LifecycleHandler{c.Lifecycle.PostStart, c.Lifecycle.PreStop} {
		if h != nil {
			all = append(all, ask{h.Exec, h.HTTPGet})
		}
	}
	return all
}
