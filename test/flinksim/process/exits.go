package process

import "k8s.io/apimachinery/pkg/types"

// Exit is a process that ends by itself.
type Exit struct {
	// Pod names its pod.
	Pod types.NamespacedName
	// Message is what it says, the exceptions from the outermost on.
	Message string
}

// Exits are the processes that are about to end by themselves, in the order of their start.
func (f *Flink) Exits() (all []Exit) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, jm := range f.inOrder() {
		if jm.fatal != "" {
			all = append(all, Exit{types.NamespacedName{Namespace: jm.Cluster.Namespace, Name: jm.pod}, jm.fatal})
		}
	}
	return all
}
