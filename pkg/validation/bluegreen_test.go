package validation_test

import (
	"cmp"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	optionconf "github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

func TestBlueGreen(t *testing.T) {
	type blueGreenInput = validation.BlueGreenInput
	child := func(change func(*v1beta1.FlinkDeploymentSpec)) func(*blueGreenInput) {
		return func(in *blueGreenInput) { change(in.Spec.Template.Spec) }
	}
	redeployed := func(was, now *int64, path string) func(*blueGreenInput) {
		return func(in *blueGreenInput) {
			last := in.Spec.DeepCopy()
			last.Template.Spec.Job.SavepointRedeployNonce = was
			text, err := v1beta1.ReconciledBlueGreenText(last)
			if err != nil {
				t.Fatal(err)
			}
			in.Status.LastReconciledSpec = text
			in.Spec.Template.Spec.Job.SavepointRedeployNonce, in.Spec.Template.Spec.Job.InitialSavepointPath = now, path
		}
	}
	const grace = "kubernetes.operator.bluegreen.abort.grace-period"
	const handover = "kubernetes.operator.bluegreen.handover.enabled"
	handedOver := func(change func(*blueGreenInput)) func(*blueGreenInput) {
		return func(in *blueGreenInput) {
			in.Spec.Configuration = map[string]string{handover: "true"}
			in.Operator = flinkconf.NewOperator(flinkconf.Config{"high-availability.type": "kubernetes"})
			job := in.Spec.Template.Spec.Job
			job.JarURI, job.EntryClass, job.UpgradeMode = "local:///a.jar", "org.example.Main", v1beta1.UpgradeModeSavepoint
			if change != nil {
				change(in)
			}
		}
	}
	for name, row := range map[string]struct {
		reason string
		change func(*blueGreenInput)
		want   []finding
	}{
		"fixture": {"nothing is wrong with it", func(*blueGreenInput) {}, nil},
		"name of 39 characters": {
			"the green child has 45",
			func(in *blueGreenInput) { in.Name = name(39) },
			nil,
		},
		"name of 40 characters": {
			"the green child would have 46",
			func(in *blueGreenInput) { in.Name = name(40) },
			one("metadata.name", "-green is invalid"),
		},
		"name with a dot": {
			"the children would have it too",
			func(in *blueGreenInput) { in.Name = "a.b" },
			one("metadata.name", "a.b-green is invalid"),
		},
		"no template": {
			"nothing to run",
			func(in *blueGreenInput) { in.Spec.Template = nil },
			one("spec.template.spec", "spec.template.spec must be defined"),
		},
		"no template.spec": {
			"nothing to run",
			func(in *blueGreenInput) { in.Spec.Template.Spec = nil },
			one("spec.template.spec", "spec.template.spec must be defined"),
		},
		"child without version": {
			"the child would be refused",
			child(func(s *v1beta1.FlinkDeploymentSpec) { s.FlinkVersion = "" }),
			one("spec.template.spec.flinkVersion", "Flink Version must be defined."),
		},
		"child without account": {
			"the child would be refused",
			child(func(s *v1beta1.FlinkDeploymentSpec) { s.ServiceAccount = "" }),
			one("spec.template.spec.serviceAccount", "spec.template.spec.serviceAccount must be defined."),
		},
		"child without memory": {"the child would be refused",
			child(func(s *v1beta1.FlinkDeploymentSpec) { s.JobManager = nil }),
			one(
				"spec.template.spec.jobManager.resources.requests.memory", "`spec.template.spec.jobManager.resource.memory`",
			)},
		"child's forbidden key": {"the child would be refused",
			child(func(s *v1beta1.FlinkDeploymentSpec) { s.FlinkConfiguration = conf("kubernetes.namespace", "x") }),
			one(`spec.template.spec.flinkConfiguration["kubernetes.namespace"]`, "Forbidden Flink config key")},
		"child's log files": {"the child would be refused",
			child(func(s *v1beta1.FlinkDeploymentSpec) { s.LogConfiguration = files("x") }),
			one(`spec.template.spec.logConfiguration["x"]`, "Invalid log config key: x")},
		"child's parallelism": {
			"the child would be refused",
			child(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 0 }),
			one("spec.template.spec.job.parallelism", "Job parallelism must be larger than 0"),
		},
		"child's ingress": {"it gets the colour as a prefix", child(func(s *v1beta1.FlinkDeploymentSpec) {
			s.Ingress = &v1beta1.IngressSpec{Template: "{{name}}.example.com"}
		}), nil},
		"child's ingress, no URL": {
			"the prefix does not help",
			child(func(s *v1beta1.FlinkDeploymentSpec) { s.Ingress = &v1beta1.IngressSpec{Template: "a:b"} }),
			one("spec.template.spec.ingress.template", "Unable to process"),
		},
		"child's ingress, none": {
			"a prefix is no template",
			child(func(s *v1beta1.FlinkDeploymentSpec) { s.Ingress = &v1beta1.IngressSpec{} }),
			one("spec.template.spec.ingress.template", "Ingress template must be defined"),
		},
		"child's autoscaler": {"the child would be refused", child(func(s *v1beta1.FlinkDeploymentSpec) {
			s.FlinkConfiguration = add(s.FlinkConfiguration, autoscaler+"enabled", "true", autoscaler+"metrics.window", "1 s")
		}), one(`spec.template.spec.flinkConfiguration["job.autoscaler.metrics.window"]`, "metric window")},
		"session cluster": {
			"it has no job that moves to the other side",
			child(func(s *v1beta1.FlinkDeploymentSpec) { s.Job = nil }),
			one("spec.template.spec.job", "blue/green deployments run applications only"),
		},
		"a template of 310 KiB": {
			"status keeps it twice",
			child(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Args = []string{strings.Repeat("a", 310<<10)} }),
			one("spec.template.spec", "too large for a blue/green deployment"),
		},
		"advanced transitions": {
			"they would run as basic ones, with records that count twice",
			func(in *blueGreenInput) { in.Spec.TransitionMode = "ADVANCED" },
			one("spec.transitionMode", "Transition mode ADVANCED is not supported"),
		},
		"basic transitions": {"the default", func(in *blueGreenInput) { in.Spec.TransitionMode = "BASIC" }, nil},
		"no savepoint directory": {
			"the new side would have nothing to start from",
			child(func(s *v1beta1.FlinkDeploymentSpec) {
				s.Job.UpgradeMode = v1beta1.UpgradeModeLastState
				s.FlinkConfiguration = without(s.FlinkConfiguration, savepointDir)
			}),
			one(
				`spec.template.spec.flinkConfiguration["execution.checkpointing.savepoint-dir"]`,
				"Job could not be upgraded with savepoint",
			),
		},
		"ingress without template": {
			"as for any other",
			func(in *blueGreenInput) { in.Spec.Ingress = &v1beta1.IngressSpec{} },
			one("spec.ingress.template", "Ingress template must be defined"),
		},
		"ingress": {
			"as for any other",
			func(in *blueGreenInput) { in.Spec.Ingress = &v1beta1.IngressSpec{Template: "x.example.com"} },
			nil,
		},
		"options": {
			"durations",
			func(in *blueGreenInput) { in.Spec.Configuration = map[string]string{grace: "10 min"} },
			nil,
		},
		"option of a job": {
			"nothing reads it there",
			func(in *blueGreenInput) {
				in.Spec.Configuration = map[string]string{"taskmanager.numberOfTaskSlots": "2"}
			},
			one(`spec.configuration["taskmanager.numberOfTaskSlots"]`, "has no effect: it is no option of a blue/green"),
		},
		"option with a slip": {
			"the default would count in silence",
			func(in *blueGreenInput) {
				in.Spec.Configuration = map[string]string{"kubernetes.operator.bluegreen.abort.grace-perod": "1 h"}
			},
			one(`spec.configuration["kubernetes.operator.bluegreen.abort.grace-perod"]`, "has no effect"),
		},
		"option that is no duration": {"the transition would not know when to give up",
			func(in *blueGreenInput) { in.Spec.Configuration = map[string]string{grace: "soon"} },
			one(`spec.configuration["`+grace+`"]`, "Invalid value for blue/green option "+grace)},
		"T12.13 a handover": {"all that it needs is there", handedOver(nil), nil},
		"T12.13 a handover without high availability": {"a JobManager that dies would lose the job",
			handedOver(func(in *blueGreenInput) {
				in.Spec.Template.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(`{"high-availability.type": "NONE",
					"execution.checkpointing.dir": "s3://c", "execution.checkpointing.savepoint-dir": "s3://s"}`)
			}),
			one(`spec.template.spec.flinkConfiguration["high-availability.type"]`, "needs high availability")},
		"T12.13 a handover without a class": {"the manifest is not read",
			handedOver(func(in *blueGreenInput) { in.Spec.Template.Spec.Job.EntryClass = "" }),
			one("spec.template.spec.job.entryClass", "class with main")},
		"T12.13 a handover of a jar from elsewhere": {"no job would run while it is downloaded",
			handedOver(func(in *blueGreenInput) { in.Spec.Template.Spec.Job.JarURI = "https://jars.example.com/a.jar" }),
			one("spec.template.spec.job.jarURI", "in the image only")},
		"T12.13 a handover with Flink 1.16": {"it starts no job with options of its own",
			handedOver(func(in *blueGreenInput) { in.Spec.Template.Spec.FlinkVersion = v1beta1.FlinkV1_16 }),
			one("spec.template.spec.flinkVersion", "needs Flink 1.17")},
		"T12.22 a handover with Flink 2.3": {"it is started by run, as with older versions",
			handedOver(func(in *blueGreenInput) { in.Spec.Template.Spec.FlinkVersion = v1beta1.FlinkV2_3 }), nil},
		"T12.13 a handover without state": {"there is nothing to move",
			handedOver(func(in *blueGreenInput) { in.Spec.Template.Spec.Job.UpgradeMode = v1beta1.UpgradeModeStateless }),
			one("spec.template.spec.job.upgradeMode", "moves the state")},
		"T12.13 a handover with gates": {"they judge a side while both run",
			handedOver(func(in *blueGreenInput) {
				in.Spec.Configuration["kubernetes.operator.bluegreen.gate.approval"] = "true"
			}),
			one(`spec.configuration["kubernetes.operator.bluegreen.gate.approval"]`, "cannot be used together")},
		"T12.13 a handover without submission by REST": {"the job is started by it",
			handedOver(func(in *blueGreenInput) {
				in.Operator = flinkconf.NewOperator(flinkconf.Config{
					"high-availability.type": "kubernetes", "web.submit.enable": "false",
				})
			}),
			one(`spec.template.spec.flinkConfiguration["web.submit.enable"]`, "starts the job by REST")},
		"T12.13 a handover of a reactive job": {"a session cluster cannot be reactive",
			handedOver(func(in *blueGreenInput) {
				in.Spec.Template.Spec.Mode = v1beta1.ModeStandalone
				in.Operator = flinkconf.NewOperator(flinkconf.Config{
					"high-availability.type": "kubernetes", "scheduler-mode": "reactive",
				})
			}),
			one(`spec.template.spec.flinkConfiguration["scheduler-mode"]`, "cannot be reactive")},
		"T12.13 another fallback": {"it would be taken for none",
			handedOver(func(in *blueGreenInput) {
				in.Spec.Configuration["kubernetes.operator.bluegreen.handover.fallback"] = "restart"
			}),
			one(`spec.configuration["kubernetes.operator.bluegreen.handover.fallback"]`, "Invalid value")},
		"no handover": {"the default",
			func(in *blueGreenInput) { in.Spec.Configuration = map[string]string{handover: "false"} }, nil},
		"a handover, perhaps": {"nobody knows what was meant",
			func(in *blueGreenInput) { in.Spec.Configuration = map[string]string{handover: "perhaps"} },
			one(`spec.configuration["`+handover+`"]`, "Invalid value for blue/green option "+handover)},
		"redeploy with path": {
			"the new child starts from it",
			redeployed(nil, ptr(int64(1)), "s3://sp"),
			nil,
		},
		"redeploy without path": {
			"the new child would start empty",
			redeployed(nil, ptr(int64(1)), ""),
			one("spec.template.spec.job.initialSavepointPath", "InitialSavepointPath must not be empty"),
		},
		"nonce as before": {
			"nothing new is asked for",
			redeployed(ptr(int64(1)), ptr(int64(1)), ""),
			nil,
		},
		"unreadable record": {
			"it forbids nothing",
			func(in *blueGreenInput) { redeployed(nil, ptr(int64(1)), "")(in); in.Status.LastReconciledSpec = "{" },
			nil,
		},
		"record without a template": {
			"it forbids nothing",
			func(in *blueGreenInput) {
				redeployed(nil, ptr(int64(1)), "")(in)
				in.Status.LastReconciledSpec = `{"spec":{}}`
			},
			nil,
		},
		"several problems of all": {
			"those of the resource first",
			func(in *blueGreenInput) { in.Name = "A"; in.Spec.Template.Spec.ServiceAccount = "" },
			[]finding{{"metadata.name", "A-green is invalid"}, {"spec.template.spec.serviceAccount", "must be defined"}},
		},
		"a label of a canary on one that was deployed": {
			"its jobs are looked after",
			func(in *blueGreenInput) {
				redeployed(nil, nil, "")(in)
				in.Labels, in.Spec.TransitionMode = map[string]string{v1beta1.LabelCanary: "true"}, "ADVANCED"
			},
			one("spec.transitionMode", "Transition mode ADVANCED is not supported"),
		},
		"canary": {
			"it only shows that the operator is alive",
			func(in *blueGreenInput) { *in = blueGreenInput{Labels: map[string]string{v1beta1.LabelCanary: "true"}} },
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := blueGreenInput{Namespace: "test", Name: "test-bg", Spec: v1beta1.FlinkBlueGreenDeploymentSpec{
				Template: &v1beta1.FlinkDeploymentTemplate{Spec: &deploymentPtr(t).Spec},
			}}
			row.change(&in)
			before := in.Spec.DeepCopy()
			check(t, row.reason, validation.BlueGreen(in), row.want...)
			if before.Template != nil && before.Template.Spec != nil && before.Template.Spec.Ingress != nil &&
				before.Template.Spec.Ingress.Template != in.Spec.Template.Spec.Ingress.Template {
				t.Error("the template was changed")
			}
		})
	}
}

// pair is a valid FlinkBlueGreenDeployment with a configuration.
func pair(t *testing.T, configuration map[string]string) validation.BlueGreenInput {
	t.Helper()
	return validation.BlueGreenInput{Namespace: "test", Name: "demo", Spec: v1beta1.FlinkBlueGreenDeploymentSpec{
		Template: &v1beta1.FlinkDeploymentTemplate{Spec: &deploymentPtr(t).Spec}, Configuration: configuration,
	}}
}

// A value in an odd form is refused, or means what it says: none becomes a default, or 0.
func TestOddValuesOfABlueGreen(t *testing.T) {
	odd := map[optionconf.Kind][]string{
		optionconf.KindDuration: {
			"-1 min", "soon", "1e3 s", "1.5 h", "９ min", "99999999999999999999 d", "5 min 3 s", "null", "0x10", "min", "10 mi",
			"9223372036854775807 d", "1_000", "∞",
		},
		optionconf.KindBool: {"yes", "1", "on", "T", "truee", "true,false", "null", "ｔｒｕｅ"},
		optionconf.KindInt:  {"-1", "3.0", "1e3", "0x10", "2147483648", "３", "--1", "3 records", "null", "1_000"},
		optionconf.KindFloat: {
			"-0.1", "1.01", "NaN", "Infinity", "1e400", "1,5", "5%", "null", "½",
		},
	}
	for _, option := range key.BlueGreen() {
		for _, value := range odd[option.Kind] {
			found := validation.Problems(validation.BlueGreen(pair(t, map[string]string{option.Key: value})))
			if found == nil || !strings.Contains(found.Error(), option.Key) {
				t.Errorf("%s: %q is accepted", option.Key, value)
			}
		}
	}
}

func deploymentPtr(t *testing.T) *validation.DeploymentInput {
	in := deployment(t)
	return &in
}

// A child is judged again as a FlinkDeployment when it is written: what passes here must pass there.
func TestChildrenOfAValidBlueGreenAreValid(t *testing.T) {
	bg := validation.BlueGreenInput{Namespace: "test", Name: name(39), Spec: v1beta1.FlinkBlueGreenDeploymentSpec{
		Template: &v1beta1.FlinkDeploymentTemplate{Spec: &deploymentPtr(t).Spec},
	}}
	check(t, "the parent is valid", validation.BlueGreen(bg))
	for _, colour := range []string{"-blue", "-green"} {
		in := validation.DeploymentInput{Namespace: bg.Namespace, Name: bg.Name + colour, Spec: *bg.Spec.Template.Spec}
		check(t, strings.TrimPrefix(colour, "-")+" child", validation.Deployment(in))
	}
}

func TestGatesOfABlueGreen(t *testing.T) {
	const gate, installed = "kubernetes.operator.bluegreen.gate.", "kubernetes.operator.plugins.gates."
	operator := flinkconf.NewOperator(flinkconf.Config{
		"kubernetes.operator.default-configuration.namespace.test." + gate + "prometheus.url": "http://p",
		installed + "smoke.url":        "http://smoke",
		installed + "smoke.namespaces": "test",
		installed + "other.url":        "http://other",
		installed + "other.namespaces": "elsewhere",
	})
	for name, row := range map[string]struct{ key, value, namespace, refused string }{
		"checkpoints":                    {key: "checkpoints", value: "3"},
		"checkpoints that are no number": {key: "checkpoints", value: "three", refused: "Invalid value for"},
		"checkpoints below 0":            {key: "checkpoints", value: "-1", refused: "-1 is below 0"},
		"restarts below 0":               {key: "max-restarts", value: "-1", refused: "-1 is below 0"},
		"a lag below 0":                  {key: "max-lag", value: "-1", refused: "-1 is below 0"},
		"no boolean":                     {key: "lag-not-growing", value: "maybe", refused: "Invalid value for"},
		"a window that is no time":       {key: "lag-window", value: "soon", refused: "Invalid value for"},
		"an error rate":                  {key: "max-error-rate", value: "0.01"},
		"an error rate in percent":       {key: "max-error-rate", value: "5", refused: "give a number from 0 to 1"},
		"an error rate that is none":     {key: "max-error-rate", value: "NaN", refused: "give a number from 0 to 1"},
		"a query":                        {key: "prometheus-query", value: "up"},
		"an empty query":                 {key: "prometheus-query", value: " ", refused: "must have 1 to 1024"},
		"a long query": {
			key: "prometheus-query", value: strings.Repeat("x", 1025), refused: "it has 1025 bytes",
		},
		"a query without a Prometheus": {
			key: "prometheus-query", value: "up", namespace: "elsewhere",
			refused: "an administrator sets " + gate + "prometheus.url",
		},
		"a service": {key: "services", value: "smoke"},
		"a service of another namespace": {
			key: "services", value: "smoke;other", refused: "no gate service other for this namespace; it has smoke",
		},
		"no service at all":             {key: "services", value: "smoke", namespace: "nowhere", refused: "it has none"},
		"too many services":             {key: "services", value: "a;b;c;d;e;f;g;h;i", refused: "at most 8"},
		"a gate that there is not":      {key: "checkpoint", value: "3", refused: "there is no such gate"},
		"what an administrator decides": {key: "prometheus.url", value: "http://x", refused: "an administrator decides it"},
	} {
		t.Run(name, func(t *testing.T) {
			in := validation.BlueGreenInput{
				Namespace: cmp.Or(row.namespace, "test"), Name: "demo", Operator: operator,
				Spec: v1beta1.FlinkBlueGreenDeploymentSpec{
					Template:      &v1beta1.FlinkDeploymentTemplate{Spec: &deploymentPtr(t).Spec},
					Configuration: map[string]string{gate + row.key: row.value},
				},
			}
			var want []finding
			if row.refused != "" {
				want = one(`spec.configuration["`+gate+row.key+`"]`, "Invalid value for blue/green option "+gate+row.key)
			}
			found := validation.BlueGreen(in)
			check(t, name, found, want...)
			if found != nil && !strings.Contains(found.Error(), row.refused) {
				t.Errorf("%v, want %q in it", found, row.refused)
			}
		})
	}
}
