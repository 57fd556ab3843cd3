package fleet

// Counts are how many resources of each kind a fleet has.
type Counts struct {
	// Applications and SessionClusters are FlinkDeployments.
	Applications, SessionClusters int
	// SessionJobs run on the session clusters, spread evenly.
	SessionJobs int
	// Snapshots are being taken; Finished were.
	Snapshots, Finished int
}

// CountsOf are those of a fleet of n resources beside its finished snapshots. Of 10,000 they are 8,480 applications, 20
// session clusters with 1,000 jobs, 500 snapshots, and 20,000 finished ones.
func CountsOf(n int) Counts {
	c := Counts{SessionClusters: n / 500, SessionJobs: n / 10, Snapshots: n / 20, Finished: 2 * n}
	if c.SessionJobs > 0 && c.SessionClusters == 0 {
		c.SessionClusters = 1
	}
	c.Applications = n - c.SessionClusters - c.SessionJobs - c.Snapshots
	if c.Applications == 0 {
		c.Snapshots, c.Finished = 0, 0
	}
	return c
}

// Jobs is how many jobs run.
func (c Counts) Jobs() int { return c.Applications + c.SessionJobs }

// Objects is how many objects are written, by and large: a cluster has a Deployment, a ReplicaSet and two pods.
func (c Counts) Objects() int {
	return 5*c.Applications + 4*c.SessionClusters + c.SessionJobs + c.Snapshots + c.Finished
}
