package validation_test

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

type input = validation.DeploymentInput

// deploymentRow changes the valid fixture.
type deploymentRow struct {
	reason string
	change func(*input)
	want   []finding
}

func (row deploymentRow) run(t *testing.T) {
	in := deployment(t)
	row.change(&in)
	check(t, row.reason, validation.Deployment(in), row.want...)
}

func one(path, text string) []finding { return []finding{{path, text}} }

func TestDeployment(t *testing.T) {
	for name, row := range map[string]deploymentRow{
		"fixture": {"nothing is wrong with it", func(*input) {}, nil},

		"name with a dot": {"it becomes part of DNS names", func(in *input) { in.Name = "session-cluster-1.13" },
			one("metadata.name", "The FlinkDeployment name: session-cluster-1.13 is invalid")},
		"empty name": {
			"there is nothing to name objects after",
			func(in *input) { in.Name = "" },
			one("metadata.name", "name:  is invalid"),
		},
		"name of 45 characters": {"the longest one", func(in *input) { in.Name = name(45) }, nil},
		"name of 46 characters": {
			"names derived from it would be cut",
			func(in *input) { in.Name = name(46) },
			one("metadata.name", "is invalid"),
		},
		"name of one letter": {"the shortest one", func(in *input) { in.Name = "a" }, nil},
		"name begins with digit": {
			"Service names cannot",
			func(in *input) { in.Name = "1a" },
			one("metadata.name", "is invalid"),
		},
		"name ends with dash": {
			"DNS names cannot",
			func(in *input) { in.Name = "a-" },
			one("metadata.name", "is invalid"),
		},
		"upper case name": {
			"DNS names cannot",
			func(in *input) { in.Name = "Test" },
			one("metadata.name", "is invalid"),
		},
		"name with a line break": {
			"the whole name is looked at",
			func(in *input) { in.Name = "a\n" },
			one("metadata.name", "is invalid"),
		},

		"version missing": {
			"the objects depend on it",
			func(in *input) { in.Spec.FlinkVersion = "" },
			one("spec.flinkVersion", "Flink Version must be defined."),
		},
		"version 1.14": {
			"too old",
			func(in *input) { in.Spec.FlinkVersion = "v1_14" },
			one("spec.flinkVersion", "Flink version v1_14 is not supported"),
		},
		"version 1.13": {
			"too old",
			func(in *input) { in.Spec.FlinkVersion = "v1_13" },
			one("spec.flinkVersion", "Flink version v1_13 is not supported"),
		},
		"version 9.9": {
			"not known",
			func(in *input) { in.Spec.FlinkVersion = "v9_9" },
			one("spec.flinkVersion", "Flink version v9_9 is not supported"),
		},
		"version 1.15": {"the oldest one", func(in *input) { in.Spec.FlinkVersion = "v1_15" }, nil},
		"version 1.18": {"old, but supported", func(in *input) { in.Spec.FlinkVersion = "v1_18" }, nil},
		"version 1.19": {"supported", func(in *input) { in.Spec.FlinkVersion = "v1_19" }, nil},
		"version 2.4":  {"the newest one", func(in *input) { in.Spec.FlinkVersion = "v2_4" }, nil},

		"log4j": {
			"one of the two files",
			func(in *input) { in.Spec.LogConfiguration = files("log4j-console.properties") },
			nil,
		},
		"logback": {
			"one of the two files",
			func(in *input) { in.Spec.LogConfiguration = files("logback-console.xml") },
			nil,
		},
		"another log file": {
			"nothing reads it",
			func(in *input) { in.Spec.LogConfiguration = files("random") },
			one(`spec.logConfiguration["random"]`, "Invalid log config key: random"),
		},
		"two other log files": {"each is told", func(in *input) { in.Spec.LogConfiguration = files("b", "a") },
			[]finding{
				{`spec.logConfiguration["a"]`, "Invalid log config key: a"},
				{`spec.logConfiguration["b"]`, "Invalid log config key: b"},
			}},

		"ingress without template": {"there is no host and no path",
			func(in *input) { in.Spec.Ingress = &v1beta1.IngressSpec{} },
			one("spec.ingress.template", "Ingress template must be defined")},
		"ingress with a name for a port": {"a port is a number", ingress("example.com:port"),
			one(
				"spec.ingress.template",
				`Unable to process the Ingress template(example.com:port). Error: cannot be read as a URL: port "port"`,
			)},
		"ingress with placeholders": {
			"they are replaced",
			ingress("example.com/{{namespace}}/{{name}}"),
			nil,
		},
		"ingress with a host of illegal characters": {
			"no Ingress can be made of it", ingress("{{name}}_ui.example.com/{{namespace}}"),
			one(
				"spec.ingress.template",
				`Unable to process the Ingress template({{name}}_ui.example.com/{{namespace}}). Error: host `+
					`"test-cluster_ui.example.com": a lowercase RFC 1123 subdomain must consist of`,
			),
		},
		"ingress with a host in capital letters": {
			"the same", ingress("{{name}}.Example.com"),
			one("spec.ingress.template", `host "test-cluster.Example.com": a lowercase RFC 1123 subdomain`),
		},
		"ingress with an address for a host": {
			"the same", ingress("10.0.0.1/{{name}}"),
			one("spec.ingress.template", `host "10.0.0.1": must be a DNS name, not an IP address`),
		},
		"ingress with a wildcard":  {"as Kubernetes has it", ingress("*.example.com/{{name}}"), nil},
		"ingress with a path only": {"any host", ingress("/{{namespace}}/{{name}}(/|$)(.*)"), nil},

		"service account missing": {
			"the pods need rights",
			func(in *input) { in.Spec.ServiceAccount = "" },
			one("spec.serviceAccount", "spec.serviceAccount must be defined."),
		},
		"service account": {"any name", func(in *input) { in.Spec.ServiceAccount = "flink" }, nil},
		"unknown mode": {
			"the CRD says so too",
			func(in *input) { in.Spec.Mode = "yarn" },
			one("spec.mode", `Unknown deployment mode "yarn"`),
		},
		"not checked": {"jars, pull policies and pod templates fail elsewhere", func(in *input) {
			in.Spec.Job.JarURI, in.Spec.ImagePullPolicy = "::no uri::", "Sometimes"
			in.Spec.PodTemplate = &v1beta1.PodTemplate{}
		}, nil},
		"canary": {"it only shows that the operator is alive", func(in *input) {
			in.Labels, in.Spec, in.Name = map[string]string{v1beta1.LabelCanary: "True"}, v1beta1.FlinkDeploymentSpec{}, ""
		}, nil},
		"label of no canary": {"only true counts", func(in *input) {
			in.Labels, in.Spec.ServiceAccount = map[string]string{v1beta1.LabelCanary: "false"}, ""
		}, one("spec.serviceAccount", "must be defined")},
		"configuration that is no object": {"the other rules go on, without it", func(in *input) {
			in.Spec.FlinkConfiguration, in.Spec.ServiceAccount = []byte(`[]`), ""
		}, []finding{
			{"spec.flinkConfiguration", "flinkConfiguration cannot be read"}, {"spec.serviceAccount", "must be defined"},
		}},
	} {
		t.Run(name, row.run)
	}
}

func name(length int) string {
	text := make([]byte, length)
	for i := range text {
		text[i] = 'a'
	}
	return string(text)
}

func files(names ...string) map[string]string {
	content := map[string]string{}
	for _, name := range names {
		content[name] = "rootLogger.level = INFO"
	}
	return content
}

func ingress(template string) func(*input) {
	return func(in *input) { in.Spec.Ingress = &v1beta1.IngressSpec{Template: template} }
}

func replace(pairs ...string) func(*input) {
	return func(in *input) { in.Spec.FlinkConfiguration = conf(pairs...) }
}

func TestDeploymentConfiguration(t *testing.T) {
	const (
		rollback = "kubernetes.operator.deployment.rollback.enabled"
		health   = "kubernetes.operator.cluster.health-check.enabled"
		recovery = "kubernetes.operator.jm-deployment-recovery.enabled"
	)
	needsHA := one(confPath(rollback), "HA must be enabled for rollback support.")
	for name, row := range map[string]deploymentRow{
		"any key": {"Flink judges its own keys", replace("random", "config"), nil},
		"namespace": {
			"it is the resource's",
			replace("kubernetes.namespace", "myns"),
			one(confPath("kubernetes.namespace"), "Forbidden Flink config key: kubernetes.namespace"),
		},
		"cluster ID": {
			"it is the resource's name",
			replace("kubernetes.cluster-id", "x"),
			one(confPath("kubernetes.cluster-id"), "Forbidden Flink config key: kubernetes.cluster-id"),
		},
		"HA cluster ID": {"it is the resource's name", func(in *input) {
			in.Spec.FlinkConfiguration = add(in.Spec.FlinkConfiguration, "high-availability.cluster-id", "x")
		}, one(confPath("high-availability.cluster-id"), "Forbidden Flink config key: high-availability.cluster-id")},
		"nested namespace": {"the spelling does not matter",
			func(in *input) { in.Spec.FlinkConfiguration = []byte(`{"kubernetes":{"namespace":"x"}}`) },
			one(confPath("kubernetes.namespace"), "Forbidden")},
		"older spelling of the HA cluster ID": {
			"the Java operator overwrites it",
			replace("high-availability.zookeeper.path.namespace", "x"),
			nil,
		},
		"two forbidden keys": {"in the order in which they are checked",
			replace("high-availability.cluster-id", "x", "kubernetes.namespace", "y"),
			[]finding{
				{confPath("kubernetes.namespace"), "kubernetes.namespace"},
				{confPath("high-availability.cluster-id"), "high-availability.cluster-id"},
			}},
		"forbidden by default": {"wherever it comes from",
			func(in *input) { in.Operator = operator("kubernetes.namespace", "x") },
			one(confPath("kubernetes.namespace"), "Forbidden")},
		"forbidden by the version's default": {"wherever it comes from", func(in *input) {
			in.Operator = operator(
				"kubernetes.operator.default-configuration.flink-version.v1_19+.kubernetes.cluster-id", "x",
			)
		}, one(confPath("kubernetes.cluster-id"), "Forbidden")},

		"rollback without HA": {"the old state would be lost", replace(rollback, "true"), needsHA},
		"rollback with HA": {
			"possible",
			func(in *input) { in.Spec.FlinkConfiguration = add(in.Spec.FlinkConfiguration, rollback, "true") },
			nil,
		},
		"rollback, HA NONE": {
			"that is no HA",
			replace(rollback, "TRUE", "high-availability.type", "NONE"),
			needsHA,
		},
		"rollback, HA standalone": {
			"an older way to say none",
			replace(rollback, "true", "high-availability", "standalone"),
			needsHA,
		},
		"rollback, HA in old spelling": {
			"older spellings count",
			replace(rollback, "true", "high-availability", "kubernetes"),
			nil,
		},
		"rollback, HA of their own": {
			"any other text is a factory",
			replace(rollback, "true", "high-availability.type", "org.example.Factory"),
			nil,
		},
		"rollback by default": {
			"defaults count",
			func(in *input) { replace()(in); in.Operator = operator(rollback, "true") },
			needsHA,
		},
		"rollback off over the default": {
			"the resource wins",
			func(in *input) { replace(rollback, "false")(in); in.Operator = operator(rollback, "true") },
			nil,
		},
		"rollback, no boolean": {
			"it can be neither on nor off",
			replace(rollback, "yes!"),
			one(confPath(rollback), "Invalid value for Flink config key: "+rollback),
		},

		"health check without recovery": {"nothing would restart the cluster", replace(health, "true", recovery, "false"),
			one(confPath(health), "Deployment recovery ("+recovery+") must be enabled for job health check ("+health+")")},
		"health check with recovery": {"recovery is on by default", replace(health, "true"), nil},
		"health check, recovery in old spelling": {
			"older spellings count",
			replace(health, "true", "kubernetes.operator.reconciler.jm-deployment-recovery.enabled", "false"),
			one(confPath(health), "Deployment recovery"),
		},
		"health check, no booleans": {"both are told, and nothing is concluded", replace(health, "x", recovery, "y"),
			[]finding{{confPath(health), "Invalid value"}, {confPath(recovery), "Invalid value"}}},
	} {
		t.Run(name, row.run)
	}
}
