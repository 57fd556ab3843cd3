package process

import "k8s.io/apimachinery/pkg/types"

// Hang has the REST interfaces of the JobManagers of a cluster that run now take connections and answer nobody, for as
// long as these processes live. Their pods stay ready, and their jobs go on.
func (f *Flink) Hang(namespace, id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, jm := range f.managers {
		if jm.Cluster == (types.NamespacedName{Namespace: namespace, Name: id}) {
			jm.hangs = true
		}
	}
}

// Hangs says whether the JobManager behind an address takes connections and answers nobody.
func (f *Flink) Hangs(address string) bool {
	jm, _ := f.resolve(address)
	f.mu.Lock()
	defer f.mu.Unlock()
	return jm != nil && jm.hangs
}
