package deployment

import "github.com/kn-flink/kn-flink/pkg/plan/clusterinfo"

// The keys of status.clusterInfo, for whoever tells what stands there.
const (
	InfoVersion   = clusterinfo.KeyVersion
	InfoStateSize = clusterinfo.KeyStateSize // bytes
	InfoCPU       = clusterinfo.KeyCPU       // cores
	InfoMemory    = clusterinfo.KeyMemory    // bytes
)
