package validation

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	"knative.dev/pkg/apis"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// DeploymentInput is what a FlinkDeployment is judged by.
type DeploymentInput struct {
	// Namespace and Name of the resource.
	Namespace, Name string
	// Labels of the resource; a canary that was never deployed is not judged.
	Labels map[string]string
	// Spec to judge.
	Spec v1beta1.FlinkDeploymentSpec
	// Status as given; its lastReconciledSpec decides which changes are possible. One that cannot be read forbids none.
	Status v1beta1.FlinkDeploymentStatus
	// Last is lastReconciledSpec, decoded; nil decodes it.
	Last *v1beta1.FlinkDeploymentSpec
	// Operator is the operator's configuration with its defaults.
	Operator flinkconf.Operator
	// New asks also whether a cluster can be made of the spec and can start. Admission asks it of each spec, and a pass
	// of one that was neither accepted nor started.
	New bool
}

// deploymentName is what names of FlinkDeployments must look like: JobManager and service names are derived from them.
var deploymentName = regexp.MustCompile(`^[a-z]([-a-z\d]{0,43}[a-z\d])?$`)

const nameCharacters = "lower case letters, digits and '-', beginning with a letter and ending with a letter or digit"

// logFiles are the legal keys of spec.logConfiguration.
var logFiles = []string{"log4j-console.properties", "logback-console.xml"}

// Deployment judges a FlinkDeployment.
//
//	rule | findings
//	V1   | metadata.name
//	V2   | flinkVersion missing, unsupported, or changed after a last-state suspend
//	V3   | forbidden configuration keys; rollback without HA; health check without JobManager recovery
//	V4   | ingress without template, or with one that is no URL; a host or an annotation that is not allowed here
//	V5   | unknown log configuration files
//	V6   | job: directories that the upgrade mode and savepoints need; parallelism; arguments that Flink would not get
//	     | as they are
//	V7   | JobManager memory, quantities, replicas
//	V8   | TaskManager memory, quantities, replicas
//	V9   | changes that are not possible: session/application, native/standalone, redeploy without a path
//	V10  | service account missing
//	V11  | autoscaler options
//	     | our own rules: values that cannot be read as the options that they are; of a new spec, what can never run;
//	     | warnings of what a configuration says in vain
func Deployment(in DeploymentInput) *apis.FieldError {
	if v1beta1.OnlyCanary(in.Labels, in.Status.ReconciliationStatus, in.Status.Intent) {
		return nil
	}
	r := &report{base: "spec"}
	r.name("metadata.name", in.Name)
	r.cluster(in, in.last())
	return r.fieldError()
}

// cluster judges everything of a cluster but its name. last is the spec acted on last, nil before the first deployment.
func (r *report) cluster(in DeploymentInput, last *v1beta1.FlinkDeploymentSpec) {
	spec := &in.Spec
	own := r.flatten("flinkConfiguration", spec.FlinkConfiguration)
	s := makeSettings(r, in.Operator.Default(in.Namespace, spec.FlinkVersion).Merge(own), own)
	r.version(spec, last)
	s.deploymentOptions()
	r.ingress("ingress", spec.Ingress, in.Operator.IngressRules(), in.Namespace, in.Name)
	r.logging(spec.LogConfiguration)
	s.job(spec.Job, spec.TaskManager)
	r.arguments(spec)
	s.jobManager(spec)
	s.taskManager(spec)
	r.change(spec, last)
	r.mode(spec.Mode)
	if spec.ServiceAccount == "" {
		r.add("serviceAccount", r.at("serviceAccount")+" must be defined.",
			"name the service account of the Flink pods; an installation with Helm calls it jobServiceAccount")
	}
	s.autoscaler()
	s.unclaimedState(spec.Job, spec.FlinkVersion)
	s.sharedPath(in.Namespace)
	s.unreadables(spec.FlinkVersion)
	r.configuration(spec.FlinkConfiguration)
	if in.New {
		s.whole(in)
	}
}

func isCanary(labels map[string]string) bool {
	return strings.EqualFold(labels[v1beta1.LabelCanary], "true")
}

// flatten reads what a resource has a say in; a configuration that is no object is a finding and counts as empty.
func (r *report) flatten(field string, written v1beta1.FlinkConfiguration) conf.Config {
	flat, err := flinkconf.Own(written)
	if err != nil {
		r.add(field, "flinkConfiguration cannot be read", err.Error())
	}
	return flat
}

// name is V1 and S1.
func (r *report) name(path, name string) {
	if !deploymentName.MatchString(name) {
		r.addAt(
			path, "The FlinkDeployment name: "+cut(name, maxQuoted)+" is invalid", "use 1 to 45 characters: "+nameCharacters,
		)
	}
}

// version is V2.
func (r *report) version(spec, last *v1beta1.FlinkDeploymentSpec) {
	const field = "flinkVersion"
	switch {
	case spec.FlinkVersion == "":
		r.add(field, "Flink Version must be defined.", "set it to the release line of the image, such as v1_20")
		return
	case !spec.FlinkVersion.Supported():
		r.add(field, "Flink version "+cut(
			string(spec.FlinkVersion), maxQuoted,
		)+" is not supported by this operator version",
			"use one from "+string(oldestSupported())+" on")
		return
	}
	if last == nil || last.Job == nil || spec.Job == nil ||
		spec.Job.DesiredUpgradeMode() == v1beta1.UpgradeModeStateless {
		return
	}
	if last.Job.DesiredState() == v1beta1.JobStateSuspended &&
		last.Job.DesiredUpgradeMode() == v1beta1.UpgradeModeLastState &&
		last.FlinkVersion != spec.FlinkVersion {
		r.add(field, "Changing flinkVersion after last-state suspend is not allowed.",
			"resume the job with "+string(last.FlinkVersion)+" first, then change the version")
	}
}

func oldestSupported() v1beta1.FlinkVersion {
	versions := v1beta1.FlinkVersions()
	return versions[slices.IndexFunc(versions, v1beta1.FlinkVersion.Supported)]
}

// deploymentOptions is V3.
func (s *settings) deploymentOptions() {
	for _, forbidden := range flinkconf.ForbiddenKeys() {
		if _, ok := s.effective[forbidden]; ok {
			s.report.addConf(forbidden, "Forbidden Flink config key: "+forbidden,
				"remove it "+s.where(forbidden)+"; it follows from the resource's namespace and name")
		}
	}
	if s.enabled(key.DeploymentRollbackEnabled) && !s.highlyAvailable() {
		s.report.addConf(key.DeploymentRollbackEnabled.Key, "HA must be enabled for rollback support.",
			"set "+key.HighAvailability.Key+" to kubernetes and "+key.HAStorageDir.Key+", or turn rollback off")
	}
	healthCheck, recovery := s.enabled(key.HealthCheckEnabled), s.enabled(key.JMDeploymentRecoveryEnabled)
	if healthCheck && !recovery {
		s.report.addConf(key.HealthCheckEnabled.Key, "Deployment recovery ("+key.JMDeploymentRecoveryEnabled.Key+
			") must be enabled for job health check ("+key.HealthCheckEnabled.Key+") support.",
			"turn recovery on, or the health check off")
	}
}

// ingress is V4.
func (r *report) ingress(
	field string, ingress *v1beta1.IngressSpec, rules flinkconf.IngressRules, namespace, name string,
) {
	if ingress == nil {
		return
	}
	if ingress.Template == "" {
		r.add(field+".template", "Ingress template must be defined", "write host, /path or host/path, or leave ingress out")
		return
	}
	host, _, err := render.ParseIngressTemplate(ingress.Template, namespace, name)
	if err != nil {
		r.add(field+".template", "Unable to process the Ingress template("+cut(ingress.Template, maxQuoted)+"). Error: "+
			ingressProblem(err),
			"the placeholders are {{name}} and {{namespace}}")
		return
	}
	if below, value := rules.Refused(ingress, host, namespace, name); below != "" {
		r.add(field+"."+below, "The Ingress may not have "+quote(value),
			render.IngressRemedy)
	}
}

// ingressProblem is the part of an error that the message does not say already.
func ingressProblem(err error) string {
	if bad := (*render.SpecError)(nil); errors.As(err, &bad) {
		return bad.Problem
	}
	return err.Error()
}

// logging is V5.
func (r *report) logging(files map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !slices.Contains(logFiles, name) {
			r.addAt(r.at("logConfiguration")+"["+quote(name)+"]", "Invalid log config key: "+cut(name, maxQuoted)+
				". Allowed keys are ["+strings.Join(logFiles, ", ")+"]",
				"move its content to one of these, or to a volume of the pod template")
		}
	}
}

// mode refuses a deployment mode that is unknown. The CRD does so too.
func (r *report) mode(mode v1beta1.Mode) {
	if mode != "" && !mode.Known() {
		r.add("mode", "Unknown deployment mode "+quote(string(mode)), "use native or standalone")
	}
}
