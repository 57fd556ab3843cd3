package capacity

// Resource is one resource of a node: cores or bytes.
type Resource struct {
	// Allocatable is what the node can give, Used what it has given when the view was read.
	Allocatable, Used float64
	// Reserved was given since, by calls that succeeded; Pending by the call under way, or by the last that failed.
	Reserved, Pending float64
}

// free is what the node can still give.
func (r Resource) free() float64 { return r.Allocatable - r.inUse() }

// inUse is what it has given.
func (r Resource) inUse() float64 { return r.Used + r.Reserved + r.Pending }

// Node is one node, also one that a cluster autoscaler would add.
type Node struct {
	// Name is that of the Node; empty for one that would be added.
	Name string
	// Group is the node group that a cluster autoscaler adds nodes to; empty is none.
	Group string
	// CPU is in cores, Memory in bytes.
	CPU, Memory Resource
}

// View are the nodes of a cluster at one time. The zero View has none.
type View struct {
	// Nodes are tried in this order.
	Nodes []Node
}

// Clone is a view of the same nodes, in which something else can be tried.
func (v View) Clone() View { return View{Nodes: append([]Node(nil), v.Nodes...)} }

// Ask are the TaskManagers of a job before and after.
type Ask struct {
	// Current and New are their numbers.
	Current, New int
	// CPU is that of each, in cores.
	CPU float64
	// Memory is that of each, in bytes.
	Memory int64
}

// Schedule reports whether the new TaskManagers of a job fit once its current ones are gone, and reserves them in the
// view. The current ones leave the first nodes that use enough; the new ones go to the first with room.
//
//	room for all   then
//	yes            they are reserved
//	no             what was tried stays pending until the next call, and counts no longer then
func (v *View) Schedule(a Ask) bool {
	for i := range v.Nodes {
		v.Nodes[i].CPU.Pending, v.Nodes[i].Memory.Pending = 0, 0
	}
	memory := float64(a.Memory)
	for range a.Current {
		for i := range v.Nodes {
			n := &v.Nodes[i]
			if n.CPU.inUse() >= a.CPU && n.Memory.inUse() >= memory {
				n.CPU.Pending -= min(a.CPU, n.CPU.inUse())
				n.Memory.Pending -= min(memory, n.Memory.inUse())
				break
			}
		}
	}
	for range a.New {
		if !v.place(a.CPU, memory) {
			return false
		}
	}
	for i := range v.Nodes {
		n := &v.Nodes[i]
		n.CPU.Reserved, n.CPU.Pending = n.CPU.Reserved+n.CPU.Pending, 0
		n.Memory.Reserved, n.Memory.Pending = n.Memory.Reserved+n.Memory.Pending, 0
	}
	return true
}

func (v *View) place(cpu, memory float64) bool {
	for i := range v.Nodes {
		n := &v.Nodes[i]
		if n.CPU.free() >= cpu && n.Memory.free() >= memory {
			n.CPU.Pending += cpu
			n.Memory.Pending += memory
			return true
		}
	}
	return false
}
