package execute

// Outcome says how a cycle ended for the job.
type Outcome string

// The outcomes, in the order in which they are found.
const (
	// OutcomeUnknown is none yet.
	OutcomeUnknown Outcome = ""
	// OutcomeMemoryPressure is a job whose TaskManagers lack memory: nothing is looked at.
	OutcomeMemoryPressure Outcome = "MemoryPressure"
	// OutcomeBalanced is a job with no vertex outside of its utilisation bounds, or none that can change.
	OutcomeBalanced Outcome = "Balanced"
	// OutcomeDisabled is a job that is only advised on: scaling.enabled is false.
	OutcomeDisabled Outcome = "ScalingDisabled"
	// OutcomeExcludedPeriod is a time in excluded.periods.
	OutcomeExcludedPeriod Outcome = "ExcludedPeriod"
	// OutcomeTooOften is a job that was scaled as often as it may be in an hour.
	OutcomeTooOften Outcome = "ScalingsPerHour"
	// OutcomeNoRoom is a cluster without room for the new TaskManagers.
	OutcomeNoRoom Outcome = "NoClusterCapacity"
	// OutcomeQuota is a job that would use more than its quota.
	OutcomeQuota Outcome = "ResourceQuotaReached"
	// OutcomeVetoed is a job that an executor of the user's own held back.
	OutcomeVetoed Outcome = "ScalingVetoed"
	// OutcomeReady is a job that will be scaled, unless an executor holds it back.
	OutcomeReady Outcome = "Ready"
	// OutcomeScaled is a job that is scaled: what is to be is stored.
	OutcomeScaled Outcome = "Scaled"
)
