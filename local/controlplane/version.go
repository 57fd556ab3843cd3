package controlplane

import (
	_ "unsafe" // for go:linkname

	"k8s.io/component-base/version"
)

// KubernetesVersion is the release that go.mod pins as k8s.io/kubernetes.
const KubernetesVersion = "v1.35.4"

// Kubernetes gets its version from linker flags, which `go test` and `go run` do not have; clients that check the
// server's version would refuse v0.0.0.
//
//go:linkname gitVersion k8s.io/component-base/version.gitVersion
var gitVersion string

//go:linkname gitMajor k8s.io/component-base/version.gitMajor
var gitMajor string

//go:linkname gitMinor k8s.io/component-base/version.gitMinor
var gitMinor string

func init() {
	gitVersion, gitMajor, gitMinor = KubernetesVersion, "1", "35"
	if err := version.SetDynamicVersion(gitVersion); err != nil {
		panic(err) // only if the constant is no version
	}
}
