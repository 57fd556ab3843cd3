package validation

import (
	"knative.dev/pkg/apis"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
)

// BlueGreenInput is what a FlinkBlueGreenDeployment is judged by.
type BlueGreenInput struct {
	// Namespace and Name of the resource.
	Namespace, Name string
	// Labels of the resource; a canary is not judged.
	Labels map[string]string
	// Spec to judge.
	Spec v1beta1.FlinkBlueGreenDeploymentSpec
	// Status as given; its lastReconciledSpec says whether a redeploy nonce is new.
	Status v1beta1.FlinkBlueGreenDeploymentStatus
	// Operator is the operator's configuration with its defaults.
	Operator flinkconf.Operator
}

const (
	// longestChild and longestPrefix are what the colours put around names and ingress templates.
	longestChild = "-green"
	ingressMark  = "green-"
)

// blueGreenOptions are read from spec.configuration only.
var blueGreenOptions = []conf.Option{
	{Key: "kubernetes.operator.bluegreen.abort.grace-period", Kind: conf.KindDuration},
	{Key: "kubernetes.operator.bluegreen.reconciliation.reschedule-interval", Kind: conf.KindDuration},
	{Key: "kubernetes.operator.bluegreen.deployment-deletion.delay", Kind: conf.KindDuration},
}

// BlueGreen judges a FlinkBlueGreenDeployment by what its children would be refused for, with the paths of its own
// fields.
//
//	field                | finding
//	metadata.name        | V1 of the longer child's name, so at most 39 characters
//	template.spec        | missing; V2-V8, V10 and V11 of the child; V9: a redeploy nonce without a path
//	ingress              | V4
//	configuration        | a kubernetes.operator.bluegreen.* option that is no duration
//
// The other rules of V9 do not apply: a change of mode or kind gets a child of its own.
func BlueGreen(in BlueGreenInput) *apis.FieldError {
	if isCanary(in.Labels) {
		return nil
	}
	own := &report{base: "spec"}
	if !deploymentName.MatchString(in.Name + longestChild) {
		own.addAt("metadata.name", "The FlinkDeployment name: "+cut(in.Name+longestChild, maxQuoted)+" is invalid",
			"the children are called after this resource: use 1 to 39 characters: "+nameCharacters)
	}
	own.ingress("ingress", in.Spec.Ingress, in.Operator.IngressRules(), in.Namespace, in.Name)
	own.blueGreenOptions(in.Spec.Configuration)
	if in.Spec.Template == nil || in.Spec.Template.Spec == nil {
		own.add("template.spec", "spec.template.spec must be defined", "describe the FlinkDeployment to run")
		return own.fieldError()
	}
	child := &report{base: "spec.template.spec", findings: own.findings}
	spec := *in.Spec.Template.Spec
	if spec.Ingress != nil && spec.Ingress.Template != "" {
		marked := *spec.Ingress
		marked.Template = ingressMark + marked.Template
		spec.Ingress = &marked
	}
	child.cluster(
		DeploymentInput{
			Namespace: in.Namespace, Name: in.Name + longestChild, Spec: spec, Operator: in.Operator, New: true,
		}, nil,
	)
	if last := lastChildSpec(in.Status); last != nil {
		child.redeploy(spec.Job, last.Job)
	}
	return child.fieldError()
}

// blueGreenOptions checks the options of a blue/green deployment, which stand in spec.configuration only.
func (r *report) blueGreenOptions(configuration map[string]string) {
	options := flinkconf.Config(configuration)
	for _, option := range blueGreenOptions {
		if _, err := options.Duration(option); err != nil {
			r.addAt(
				r.at("configuration")+"["+quote(option.Key)+"]", "Invalid value for blue/green option "+option.Key, err.Error(),
			)
		}
	}
}

func lastChildSpec(status v1beta1.FlinkBlueGreenDeploymentStatus) *v1beta1.FlinkDeploymentSpec {
	last, err := v1beta1.ParseReconciledBlueGreen(status.LastReconciledSpec)
	if err != nil || last.Template == nil {
		return nil // before the first deployment, or a record that a spec cannot fix
	}
	return last.Template.Spec
}
