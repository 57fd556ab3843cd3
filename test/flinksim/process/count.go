package process

import "k8s.io/apimachinery/pkg/types"

// JobManagers returns how many JobManager processes of a cluster run, reachable or not.
func (f *Flink) JobManagers(namespace, id string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count(types.NamespacedName{Namespace: namespace, Name: id})
}

// MostJobManagers returns how many JobManager processes of a cluster ran at once at the most.
func (f *Flink) MostJobManagers(namespace, id string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.most[types.NamespacedName{Namespace: namespace, Name: id}]
}

// Launched returns how many JobManager processes of a cluster have been started.
func (f *Flink) Launched(namespace, id string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.launched[types.NamespacedName{Namespace: namespace, Name: id}]
}

func (f *Flink) count(cluster types.NamespacedName) int {
	n := 0
	for _, jm := range f.managers {
		if jm.Cluster == cluster {
			n++
		}
	}
	return n
}
