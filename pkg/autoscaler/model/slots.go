package model

// Slots estimates the task slots that a job needs with new parallelisms, given by hex ID; a vertex that is not among
// them keeps its own.
//
//	the largest parallelism now   then it is
//	is the number of slots used   the largest new parallelism: all vertices share slots
//	otherwise                     the sum of all new parallelisms
func Slots(t Topology, changed map[string]int, used float64) int {
	largest, highest, sum := 0, 0, 0
	for _, v := range t.Vertices {
		parallelism, changes := changed[v.ID]
		if !changes {
			parallelism = v.Parallelism
		}
		largest = max(largest, v.Parallelism)
		highest = max(highest, parallelism)
		sum += parallelism
	}
	if largest == Int(used) {
		return highest
	}
	return sum
}

// TaskManagers is the number of TaskManagers for a number of slots.
func TaskManagers(slots, perTaskManager int) int {
	if perTaskManager < 1 {
		return 0
	}
	return (slots + perTaskManager - 1) / perTaskManager
}
