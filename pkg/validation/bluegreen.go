package validation

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"knative.dev/pkg/apis"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
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
	// mostTemplate bounds the recorded text of a spec, in bytes. A resource has its spec once and its status has it twice
	// while a transition is under way, as text in JSON; etcd takes 1.5 MB.
	mostTemplate = 300 << 10
)

// BlueGreen judges a FlinkBlueGreenDeployment by what its children would be refused for, with the paths of its own
// fields.
//
//	field                | finding
//	metadata.name        | V1 of the longer child's name, so at most 39 characters
//	template.spec        | missing, or without a job; V2-V8, V10, V11 of the child; V9: a redeploy nonce without path
//	template.spec        | larger than mostTemplate
//	template.spec        | it needs state, and has no directory for the savepoint of a transition
//	ingress              | V4
//	transitionMode       | another than BASIC
//	configuration        | a kubernetes.operator.bluegreen.* option that cannot be read, or that gateProblem refuses; one
//	                     | below gate. that there is not, or that an administrator decides
//	template.spec        | a handover is asked for, see handover
//	configuration        | a handover is asked for, and gates
//	configuration        | a warning: a key that is no option of the kind
//
// The other rules of V9 do not apply: a change of mode or kind gets a child of its own.
func BlueGreen(in BlueGreenInput) *apis.FieldError {
	if v1beta1.OnlyCanaryPair(in.Labels, in.Status) {
		return nil
	}
	own := &report{base: "spec"}
	if !deploymentName.MatchString(in.Name + longestChild) {
		own.addAt("metadata.name", "The FlinkDeployment name: "+cut(in.Name+longestChild, maxQuoted)+" is invalid",
			"the children are called after this resource: use 1 to 39 characters: "+nameCharacters)
	}
	own.ingress("ingress", in.Spec.Ingress, in.Operator.IngressRules(), in.Namespace, in.Name)
	own.blueGreenOptions(in.Spec.Configuration, in)
	if mode := in.Spec.TransitionMode; mode != "" && mode != "BASIC" {
		own.add(
			"transitionMode", "Transition mode "+cut(mode, maxQuoted)+" is not supported",
			"both sides would count each record: leave it out, or set it to BASIC",
		)
	}
	if in.Spec.Template == nil || in.Spec.Template.Spec == nil {
		own.add("template.spec", "spec.template.spec must be defined", "describe the FlinkDeployment to run")
		return own.fieldError()
	}
	if in.Spec.Template.Spec.Job == nil {
		own.add(
			"template.spec.job", "spec.template.spec.job must be defined: blue/green deployments run applications only",
			"describe the job, or use a FlinkDeployment for a session cluster",
		)
	}
	if text, err := v1beta1.ReconciledBlueGreenText(&in.Spec); err == nil && len(text) > mostTemplate {
		own.add(
			"template.spec", "spec.template.spec is too large for a blue/green deployment",
			fmt.Sprintf(
				"it has %d KiB; status keeps it twice during a transition, so at most %d KiB fit into etcd", len(text)>>10,
				mostTemplate>>10,
			),
		)
	}
	child := &report{base: "spec.template.spec", findings: own.findings, warnings: own.warnings}
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
	last := lastChildSpec(in.Status)
	if last != nil {
		child.redeploy(spec.Job, last.Job)
	}
	child.transitionSavepoint(in, last)
	child.handover(in)
	return child.fieldError()
}

// transitionSavepoint checks that a side which keeps its state has a place for the savepoint that the other one starts
// from. A resource of the Java operator may lack it: whatever leaves the template as it is passes, and so does a
// suspension.
func (r *report) transitionSavepoint(in BlueGreenInput, last *v1beta1.FlinkDeploymentSpec) {
	spec := in.Spec.Template.Spec
	if spec.Job == nil || spec.Job.DesiredUpgradeMode() == v1beta1.UpgradeModeStateless ||
		spec.Job.DesiredState() == v1beta1.JobStateSuspended || last != nil && reflect.DeepEqual(last, spec) {
		return
	}
	own, err := flinkconf.Own(spec.FlinkConfiguration)
	if err != nil {
		return // told already
	}
	if in.Operator.Default(in.Namespace, spec.FlinkVersion).Merge(own).Get(key.SavepointDir) != "" {
		return
	}
	r.add(
		"flinkConfiguration["+quote(key.SavepointDir.Key)+"]",
		"Job could not be upgraded with savepoint while config key["+key.SavepointDir.Key+"] is not set",
		"set it to a path that all Flink pods share: a transition starts the new side from a savepoint there; or set "+
			"job.upgradeMode to stateless",
	)
}

// Bounds of the options of gates.
const (
	mostGateServices = 8
	longestGateQuery = 1024
)

// blueGreenOptions checks the options of a blue/green deployment, which stand in spec.configuration only.
func (r *report) blueGreenOptions(configuration map[string]string, in BlueGreenInput) {
	given, known := flinkconf.Config(configuration), map[string]bool{}
	refuse := func(name, format string, values ...any) {
		r.addAt(
			r.at(
				"configuration",
			)+"["+quote(
				name,
			)+"]",
			"Invalid value for blue/green option "+name,
			fmt.Sprintf(format, values...),
		)
	}
	for _, option := range key.BlueGreen() {
		known[option.Key] = true
		if err := given.Check(option); err != nil {
			refuse(option.Key, "%v", err)
			continue
		}
		if problem := gateProblem(given, option, in); problem != "" {
			refuse(option.Key, "%s", problem)
		}
	}
	for _, name := range given.Keys() {
		switch {
		case !strings.HasPrefix(name, key.BlueGreenPrefix+"gate.") || known[name]:
		case key.InstallationKey(name):
			refuse(name, "an administrator decides it: it counts in the installation's configuration only")
		default:
			refuse(name, "there is no such gate; take it out, or correct its name")
		}
	}
	r.inVain(given, known)
}

// inVain warns of keys of spec.configuration that nothing reads.
func (r *report) inVain(given flinkconf.Config, known map[string]bool) {
	told := 0
	for _, name := range given.Keys() {
		if known[name] || strings.HasPrefix(name, key.BlueGreenPrefix+"gate.") {
			continue
		}
		if told++; told > maxWarnings {
			return
		}
		shown := name
		if !key.Known(name) {
			shown = cut(name, maxQuoted)
		}
		advice := "remove it; options of the job stand in spec.template.spec.flinkConfiguration"
		if nearest := key.Nearest(name); strings.HasPrefix(nearest, key.BlueGreenPrefix) {
			advice = "the nearest is " + nearest
		}
		r.warnAt(
			r.at("configuration")+"["+quote(name)+"]", shown+" has no effect: it is no option of a blue/green deployment",
			advice,
		)
	}
}

// gateProblem is what is wrong with the value of an option of gates that can be read; empty when nothing is.
//
//	option                              must be
//	checkpoints, max-restarts, max-lag  0 or more
//	max-error-rate                      0 to 1
//	prometheus-query                    of 1 to longestGateQuery bytes, and the installation has a Prometheus
//	services                            at most mostGateServices, that the installation has for the namespace
func gateProblem(given flinkconf.Config, option conf.Option, in BlueGreenInput) string {
	text, set := given.Lookup(option)
	if !set {
		return ""
	}
	switch option.Key {
	case key.GateCheckpoints.Key, key.GateMaxRestarts.Key, key.GateMaxLag.Key:
		if n, _ := given.Int(option); n < 0 {
			return fmt.Sprintf("%d is below 0", n)
		}
	case key.GateMaxErrorRate.Key:
		if rate, _ := given.Float(option); !(rate >= 0 && rate <= 1) {
			return fmt.Sprintf("%s is no share: give a number from 0 to 1", text)
		}
	case key.GatePrometheusQuery.Key:
		switch {
		case strings.TrimSpace(text) == "" || len(text) > longestGateQuery:
			return fmt.Sprintf("it has %d bytes, and must have 1 to %d", len(text), longestGateQuery)
		case in.Operator.Default(in.Namespace, "").Get(key.GatePrometheusURL) == "":
			return "the installation has no Prometheus for this namespace: an administrator sets " + key.GatePrometheusURL.Key
		}
	case key.GateServices.Key:
		return gateServicesProblem(given, in)
	}
	return ""
}

func gateServicesProblem(given flinkconf.Config, in BlueGreenInput) string {
	names, _ := given.List(key.GateServices)
	if len(names) > mostGateServices {
		return fmt.Sprintf("it names %d services, and at most %d may be", len(names), mostGateServices)
	}
	all, _ := in.Operator.Extensions()
	var offered []string
	for _, service := range flinkconf.For(all.Gates, v1beta1.KindFlinkBlueGreenDeployment, in.Namespace) {
		offered = append(offered, service.Name)
	}
	for _, name := range names {
		if !slices.Contains(offered, name) {
			return fmt.Sprintf(
				"the installation has no gate service %s for this namespace; it has %s (%s<name>.url)",
				cut(name, maxQuoted), cmp.Or(strings.Join(offered, ", "), "none"), key.GatePrefix,
			)
		}
	}
	return ""
}

func lastChildSpec(status v1beta1.FlinkBlueGreenDeploymentStatus) *v1beta1.FlinkDeploymentSpec {
	last, err := v1beta1.ParseReconciledBlueGreen(status.LastReconciledSpec)
	if err != nil || last.Template == nil {
		return nil // before the first deployment, or a record that a spec cannot fix
	}
	return last.Template.Spec
}
