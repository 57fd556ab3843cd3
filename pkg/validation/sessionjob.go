package validation

import (
	"knative.dev/pkg/apis"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

// SessionJobInput is what a FlinkSessionJob is judged by.
type SessionJobInput struct {
	// Namespace of the resource. Its name has no rule.
	Namespace string
	// Labels of the resource; a canary is not judged.
	Labels map[string]string
	// Spec to judge.
	Spec v1beta1.FlinkSessionJobSpec
	// Status as given; its lastReconciledSpec says whether deploymentName may still be chosen. One that cannot be read
	// forbids nothing.
	Status v1beta1.FlinkSessionJobStatus
	// Last is lastReconciledSpec, decoded; nil decodes it.
	Last *v1beta1.FlinkSessionJobSpec
	// Cluster is the FlinkDeployment that spec.deploymentName names; nil while there is none or it is not known. The
	// rules that need its configuration wait for it.
	Cluster *v1beta1.FlinkDeployment
	// JarHost is the lookup of the host that JarPolicy.LookupHost names.
	JarHost JarHost
	// Operator is the operator's configuration with its defaults.
	Operator flinkconf.Operator
}

// SessionJob judges a FlinkSessionJob.
//
//	rule | finding                                                        | needs the cluster
//	S1   | deploymentName is no cluster's name                            |
//	S2   | job missing                                                    |
//	S3   | deploymentName changed                                         |
//	S4   | jarURI, see jaruri.go                                          |
//	S5   | the cluster is an application                                  | yes
//	S6   | the cluster has another name                                   | yes
//	S7   | job: directories and parallelism, with the cluster's settings  | yes
//	S8   | autoscaler options, with the cluster's settings                | yes
//	     | values that cannot be read, our own rule                       | its own: no
func SessionJob(in SessionJobInput) *apis.FieldError {
	if v1beta1.OnlyCanary(in.Labels, in.Status.ReconciliationStatus, in.Status.Intent) {
		return nil
	}
	r := &report{base: "spec"}
	spec := &in.Spec
	r.name("spec.deploymentName", spec.DeploymentName)
	if spec.Job == nil {
		r.add("job", "The job spec should not be empty", "describe the job, at least jarURI or entryClass, and parallelism")
	}
	if last := in.last(); last != nil && last.DeploymentName != spec.DeploymentName {
		r.add("deploymentName", "The deploymentName can't be changed", "set it back to "+quote(last.DeploymentName)+
			", or delete the resource and create it again")
	}
	if spec.Job != nil && spec.Job.JarURI != "" {
		r.jarURI(spec.Job.JarURI, MakeJarPolicy(in.Operator), in.JarHost)
	}
	own := r.flatten("flinkConfiguration", spec.FlinkConfiguration)
	if in.Cluster == nil {
		s := makeSettings(r, in.Operator.Default(in.Namespace, "").Merge(own), own)
		s.unclaimedState(spec.Job, "")
		s.unreadables("")
		r.configuration(spec.FlinkConfiguration)
		return r.fieldError()
	}
	if !in.Cluster.Spec.IsSession() {
		r.add("deploymentName", "Can not submit session job to application cluster",
			"name a FlinkDeployment without spec.job, or make this job a FlinkDeployment of its own")
	}
	if in.Cluster.Name != spec.DeploymentName {
		r.add("deploymentName", "The session job's cluster id is not match with the session cluster",
			"the cluster is "+quote(in.Cluster.Name)+", correct one of the names")
	}
	// A cluster whose configuration cannot be read has that finding itself.
	shared, _ := flinkconf.Own(in.Cluster.Spec.FlinkConfiguration)
	s := makeSettings(r, in.Operator.Default(in.Namespace, in.Cluster.Spec.FlinkVersion).Merge(shared).Merge(own), own)
	s.job(spec.Job, nil)
	s.autoscaler()
	s.unclaimedState(spec.Job, in.Cluster.Spec.FlinkVersion)
	s.unreadables(in.Cluster.Spec.FlinkVersion)
	r.configuration(spec.FlinkConfiguration)
	return r.fieldError()
}

// last is the spec acted on last; nil before that and when its record cannot be read.
func (in DeploymentInput) last() *v1beta1.FlinkDeploymentSpec {
	recorded := in.Status.ReconciliationStatus
	if recorded.IsBeforeFirstDeployment() || in.Last != nil {
		return in.Last
	}
	record, err := v1beta1.ParseReconciledDeployment(recorded.LastReconciledSpec)
	if err != nil {
		return nil // whoever acts on the record finds that out; a spec cannot fix it
	}
	return &record.Spec
}

// last is the spec acted on last; nil before that and when its record cannot be read.
func (in SessionJobInput) last() *v1beta1.FlinkSessionJobSpec {
	recorded := in.Status.ReconciliationStatus
	if recorded.IsBeforeFirstDeployment() || in.Last != nil {
		return in.Last
	}
	record, err := v1beta1.ParseReconciledSessionJob(recorded.LastReconciledSpec)
	if err != nil {
		return nil // as above
	}
	return &record.Spec
}
