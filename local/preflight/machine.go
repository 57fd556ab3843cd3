package preflight

import (
	"fmt"
)

// Machine is what matters of a machine.
type Machine struct {
	// OS is runtime.GOOS.
	OS string
	// Java is nil if there is a JDK that will do. Otherwise it says what to install.
	Java error
	// Dir is a directory that has to hold Wanted bytes more, Free how many there are.
	Dir          string
	Free, Wanted int64
	// Memory is how many bytes can be had without swapping. Zero: not known.
	Memory int64
	// Kubectl says that kubectl is there.
	Kubectl bool
}

// memory is for two JVMs of 1 GiB each, as in examples/basic.yaml, and the platform.
const memory = 2900 << 20

// Missing are the reasons why the platform cannot run here. Empty: it can.
//
//	found                             | said
//	not Linux                         | only that
//	no JDK, a runtime only, too old   | what to install
//	a disk that will be full          | how much is needed, and where
func (m Machine) Missing() []string {
	if m.OS != "linux" {
		return []string{
			fmt.Sprintf(
				"this is %s: the platform needs Linux (a virtual machine or WSL 2 will do), where all of 127.0.0.0/8 is this "+
					"machine",
				m.OS,
			),
		}
	}
	var all []string
	if m.Java != nil {
		all = append(all, "Java: "+m.Java.Error())
	}
	if m.Free < m.Wanted {
		all = append(all, fmt.Sprintf("disk: %d MB are free in %s and %d MB are needed: make room, or name another place "+
			"with XDG_CACHE_HOME and GOCACHE",
			m.Free>>20, m.Dir, m.Wanted>>20))
	}
	return all
}

// Advice is what is better known, but no reason to stop.
func (m Machine) Advice() []string {
	var all []string
	if m.Memory > 0 && m.Memory < memory {
		all = append(
			all,
			fmt.Sprintf(
				"memory: %d MB are available; the platform and a Flink job of two processes take %d MB", m.Memory>>20,
				int64(memory)>>20,
			),
		)
	}
	if !m.Kubectl {
		all = append(
			all, "kubectl is not installed: you will only be able to watch. See https://kubernetes.io/docs/tasks/tools/",
		)
	}
	return all
}
