package capacity

import (
	"fmt"
	"regexp"
	"strconv"
)

// GroupLabel is the label of a Node that names its group.
const GroupLabel = "eks.amazonaws.com/nodegroup"

// group matches a node group in the status of the cluster autoscaler: its name, a line, and one with its greatest size.
var group = regexp.MustCompile(`Name:[ \t]*(\S+)[ \t]*\n.*\n.*maxSize=(\d+)`)

// Groups reads the greatest sizes of node groups from the text status of ConfigMap
// kube-system/cluster-autoscaler-status. It returns an error for a text that names none, or one twice.
func Groups(status string) (map[string]int, error) {
	sizes := map[string]int{}
	for _, found := range group.FindAllStringSubmatch(status, -1) {
		if _, twice := sizes[found[1]]; twice {
			return nil, fmt.Errorf("the status of the cluster autoscaler names node group %q twice", found[1])
		}
		size, err := strconv.Atoi(found[2])
		if err != nil {
			return nil, fmt.Errorf("node group %q: %w", found[1], err)
		}
		sizes[found[1]] = size
	}
	if len(sizes) == 0 {
		return nil, fmt.Errorf("the status of the cluster autoscaler names no node group")
	}
	return sizes, nil
}

// Grown is the view with the nodes that a cluster autoscaler could still add, empty and like the first of their group.
// A group without a node is left out: nobody knows how large its nodes are.
func (v View) Grown(sizes map[string]int) View {
	grown := v.Clone()
	count := map[string]int{}
	for _, n := range v.Nodes {
		count[n.Group]++
	}
	seen := map[string]bool{"": true}
	for _, n := range v.Nodes {
		if seen[n.Group] {
			continue
		}
		seen[n.Group] = true
		like := Node{
			Group: n.Group, CPU: Resource{Allocatable: n.CPU.Allocatable}, Memory: Resource{Allocatable: n.Memory.Allocatable},
		}
		for range max(0, sizes[n.Group]-count[n.Group]) {
			grown.Nodes = append(grown.Nodes, like)
		}
	}
	return grown
}
