package specdiff

import "strings"

// Kind says how far a change reaches. The texts are those of the SpecChanged event.
type Kind string

// The kinds, mildest first.
const (
	// None: the specs do not differ in anything that is compared.
	None Kind = "NONE"
	// Ignore: they differ, and neither cluster nor job has to do anything for it.
	Ignore Kind = "IGNORE"
	// Scale: the number of TaskManagers or the parallelism of vertices differs; a running job may take it in place.
	Scale Kind = "SCALE"
	// Upgrade: the job or the cluster has to be restarted with the new spec.
	Upgrade Kind = "UPGRADE"
	// SavepointRedeploy: the job has to be redeployed from job.initialSavepointPath, its own state is given up.
	SavepointRedeploy Kind = "SAVEPOINT_REDEPLOY"
)

var severity = map[Kind]int{None: 0, Ignore: 1, Scale: 2, Upgrade: 3, SavepointRedeploy: 4}

// Effective reports whether something has to be done for a change of this kind: it is neither None nor Ignore.
func (k Kind) Effective() bool { return k != None && k != Ignore }

// Change is the difference between two specs.
type Change struct {
	// Kind is the most severe kind among Fields, None without any.
	Kind Kind
	// Fields that differ, in the order of the tables.
	Fields []FieldChange
	// Text lists what differs as the Java operator prints it, "Diff: FlinkDeploymentSpec[path : old -> new, …]". Empty
	// without Fields. At most 4,000 bytes.
	Text string
}

// FieldChange is one field that differs.
type FieldChange struct {
	// Path below spec, such as job.parallelism or flinkConfiguration.rest.port.
	Path string
	// Old and New are the values as text: "null" when not set, "{..}" for an object, stars for a secret. At most 200
	// characters each.
	Old, New string
	// Kind of this field's change.
	Kind Kind
}

// OfSessionJob is the same change, named as one of a FlinkSessionJob whose spec was compared in the form of a
// FlinkDeployment's.
func (c Change) OfSessionJob() Change {
	const deployment, sessionJob = "Diff: FlinkDeploymentSpec[", "Diff: FlinkSessionJobSpec["
	if rest, is := strings.CutPrefix(c.Text, deployment); is {
		c.Text = sessionJob + rest
	}
	return c
}

// EventMessage is the message of the SpecChanged event for an effective change.
func (c Change) EventMessage() string {
	return string(c.Kind) + " change(s) detected (" + c.Text + "), starting reconciliation."
}
