package chaos

// Pair is the spec of a blue/green deployment whose changes move the job.
func (r *Resource) Pair() map[string]any {
	const option = "kubernetes.operator.bluegreen."
	return map[string]any{
		"configuration": map[string]any{
			option + "handover.enabled": "true", option + "abort.grace-period": "3 min", option + "handover.deadline": "1 min",
		},
		"template": map[string]any{"spec": r.Spec},
	}
}

// oftenPaired is how many times more than once a verb is in the lots of a blue/green deployment.
var oftenPaired = map[string]int{
	"parallelism": 6, "restart": 5, "retention-in-code": 2, "suspend": 1, "resume": 2, "break-image": 1, "fix-image": 2,
	"upgrade-mode": 1, "restart-strategy": 1, "crash-jobmanager": 2, "stop-jobmanager": 1, "kill-taskmanager": 2,
	"stop-taskmanager": 1, "fail-job": 2, "crash": 5, "lose-events": 3, "disorder": 3,
}

var lotsPaired = lotsOf(oftenPaired)
