package validation_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

type jobInput = validation.SessionJobInput

func TestSessionJob(t *testing.T) {
	const (
		interval = "kubernetes.operator.periodic.savepoint.interval"
		schemes  = "kubernetes.operator.user.artifacts.allowed-schemes"
		hosts    = "kubernetes.operator.user.artifacts.allowed-hosts"
	)
	withCluster := func(in *jobInput) { in.Cluster = sessionCluster(t) }
	lastDeployed := func(name string) func(*jobInput) {
		return func(in *jobInput) {
			last := in.Spec.DeepCopy()
			last.DeploymentName = name
			text, err := v1beta1.ReconciledSessionJob{Spec: *last}.Text()
			if err != nil {
				t.Fatal(err)
			}
			in.Status.ReconciliationStatus.LastReconciledSpec = text
		}
	}
	jar := func(uri string) func(*jobInput) { return func(in *jobInput) { in.Spec.Job.JarURI = uri } }
	for name, row := range map[string]struct {
		reason  string
		changes []func(*jobInput)
		want    []finding
	}{
		"fixture, no cluster yet": {"the cluster may come later", nil, nil},
		"fixture with cluster":    {"nothing is wrong with it", []func(*jobInput){withCluster}, nil},

		"no deploymentName": {"the job would not know where to run",
			[]func(*jobInput){func(in *jobInput) { in.Spec.DeploymentName = "" }},
			one("spec.deploymentName", "The FlinkDeployment name:  is invalid")},
		"deploymentName with a dot": {"no FlinkDeployment can have it",
			[]func(*jobInput){func(in *jobInput) { in.Spec.DeploymentName = "a.b" }},
			one("spec.deploymentName", "The FlinkDeployment name: a.b is invalid")},
		"no job": {"there is nothing to run", []func(*jobInput){withCluster, func(in *jobInput) { in.Spec.Job = nil }},
			one("spec.job", "The job spec should not be empty")},
		"deploymentName changed": {"the job would run twice", []func(*jobInput){lastDeployed("other")},
			one("spec.deploymentName", "The deploymentName can't be changed")},
		"a record that was decoded before": {
			"it counts, not the text",
			[]func(*jobInput){lastDeployed("test-cluster"), func(in *jobInput) {
				in.Last = &v1beta1.FlinkSessionJobSpec{DeploymentName: "other"}
			}},
			one("spec.deploymentName", "The deploymentName can't be changed"),
		},
		"deploymentName unchanged": {"as it was", []func(*jobInput){lastDeployed("test-cluster")}, nil},
		"unreadable record": {
			"it forbids nothing",
			[]func(*jobInput){func(in *jobInput) { in.Status.ReconciliationStatus.LastReconciledSpec = "{" }},
			nil,
		},

		"another cluster": {"a mistake of whoever looked it up",
			[]func(*jobInput){withCluster, func(in *jobInput) { in.Spec.DeploymentName = "not-match" }},
			one("spec.deploymentName", "The session job's cluster id is not match with the session cluster")},
		"application": {"it runs its own job",
			[]func(*jobInput){withCluster, func(in *jobInput) { in.Cluster.Spec.Job = &v1beta1.JobSpec{} }},
			one("spec.deploymentName", "Can not submit session job to application cluster")},

		"last-state": {
			"the cluster has the directories",
			[]func(*jobInput){withCluster, func(in *jobInput) { in.Spec.Job.UpgradeMode = v1beta1.UpgradeModeLastState }},
			nil,
		},
		"headers": {"for the download of the jar", []func(*jobInput){withCluster, func(in *jobInput) {
			in.Spec.FlinkConfiguration = conf(
				"kubernetes.operator.user.artifacts.http.header", "headerKey1:headerValue1,headerKey2:headerValue2",
			)
		}}, nil},
		"periodic savepoints": {
			"the cluster has the directory",
			[]func(*jobInput){withCluster, func(in *jobInput) { in.Spec.FlinkConfiguration = conf(interval, "1m") }},
			nil,
		},
		"savepoint, directories of its own": {"the cluster has none", []func(*jobInput){withCluster, func(in *jobInput) {
			in.Cluster.Spec.FlinkConfiguration, in.Spec.Job.UpgradeMode = nil, v1beta1.UpgradeModeSavepoint
			in.Spec.FlinkConfiguration = conf(checkpointDir, "a", savepointDir, "b")
		}}, nil},
		"savepoint without directories": {"nobody has them", []func(*jobInput){withCluster, func(in *jobInput) {
			in.Cluster.Spec.FlinkConfiguration, in.Spec.Job.UpgradeMode = nil, v1beta1.UpgradeModeSavepoint
		}}, []finding{
			{confPath(checkpointDir), "Checkpoint directory"},
			{"spec.job.upgradeMode", "Job could not be upgraded with savepoint"},
		}},
		"savepoint, defaults of its version": {"the cluster's version counts", []func(*jobInput){withCluster,
			func(in *jobInput) {
				in.Cluster.Spec.FlinkConfiguration, in.Spec.Job.UpgradeMode = nil, v1beta1.UpgradeModeLastState
				in.Operator = operator(
					"kubernetes.operator.default-configuration.flink-version.v1_20.execution.checkpointing.dir", "c",
				)
			}}, nil},
		"savepoint without cluster": {
			"what the cluster sets is not known yet",
			[]func(*jobInput){func(in *jobInput) { in.Spec.Job.UpgradeMode = v1beta1.UpgradeModeSavepoint }},
			nil,
		},
		"parallelism 0": {"the cluster's TaskManagers do not give it", []func(*jobInput){withCluster, func(in *jobInput) {
			in.Spec.Job.Parallelism, in.Cluster.Spec.TaskManager.Replicas = 0, ptr(int32(3))
		}}, one("spec.job.parallelism", "Job parallelism must be larger than 0")},
		"autoscaler": {
			"the defaults are legal",
			[]func(*jobInput){
				withCluster, func(in *jobInput) { in.Spec.FlinkConfiguration = conf(autoscaler+"enabled", "true") },
			},
			nil,
		},
		"autoscaler, wrong option of the cluster": {"it counts for its jobs", []func(*jobInput){withCluster,
			func(in *jobInput) {
				in.Cluster.Spec.FlinkConfiguration = conf(autoscaler+"utilization.target", "1.5")
				in.Spec.FlinkConfiguration = conf(autoscaler+"enabled", "true")
			}}, outside("utilization.target", "[0.0, 1.0]")},
		"redeploy without a path": {"not a rule for session jobs", []func(*jobInput){withCluster,
			lastDeployed("test-cluster"), func(in *jobInput) {
				in.Spec.Job.SavepointRedeployNonce = ptr(int64(1))
			}}, nil},
		"keys forbidden to clusters": {"not a rule for session jobs", []func(*jobInput){withCluster, func(in *jobInput) {
			in.Spec.FlinkConfiguration = conf(
				"kubernetes.namespace", "x", "kubernetes.operator.deployment.rollback.enabled", "true",
			)
		}}, nil},
		"configuration that is no object": {"known without the cluster",
			[]func(*jobInput){func(in *jobInput) { in.Spec.FlinkConfiguration = []byte(`7`) }},
			one("spec.flinkConfiguration", "flinkConfiguration cannot be read")},
		"cluster's configuration is no object": {
			"that is the cluster's finding",
			[]func(*jobInput){withCluster, func(in *jobInput) { in.Cluster.Spec.FlinkConfiguration = []byte(`7`) }},
			nil,
		},
		"canary": {"it only shows that the operator is alive", []func(*jobInput){func(in *jobInput) {
			*in = jobInput{Labels: map[string]string{v1beta1.LabelCanary: "true"}}
		}}, nil},

		"http allowed": {
			"the operator says so",
			[]func(*jobInput){
				jar("http://example.com/job.jar"), func(in *jobInput) { in.Operator = operator(schemes, "https;http") },
			},
			nil,
		},
		"http not allowed": {
			"the operator may say so", []func(*jobInput){jar("http://example.com/job.jar")},
			one("spec.job.jarURI", "jarURI scheme 'http' is not in the allowlist [https]"),
		},
		"s3 allowed": {
			"it was fetched by a plug-in of the Java operator's image",
			[]func(*jobInput){
				jar("s3://my-bucket/job.jar"), func(in *jobInput) { in.Operator = operator(schemes, "https;s3") },
			},
			one("spec.job.jarURI", "jarURI scheme 's3' is not supported"),
		},
		"s3 not allowed": {
			"to extend the list would not help", []func(*jobInput){jar("s3://my-bucket/job.jar")},
			one("spec.job.jarURI", "jarURI scheme 's3' is not in the allowlist [https]"),
		},
		"file not allowed": {"the operator does not say so",
			[]func(*jobInput){jar("file:///etc/passwd"), func(in *jobInput) { in.Operator = operator(schemes, "https;s3") }},
			one("spec.job.jarURI", "jarURI scheme 'file' is not in the allowlist [https, s3]")},
		"file allowed by the job": {"a tenant cannot widen the list", []func(*jobInput){jar("file:///etc/passwd"),
			func(in *jobInput) {
				in.Spec.FlinkConfiguration, in.Operator = conf(schemes, "https;file"), operator(schemes, "https;s3")
			}}, []finding{{"spec.job.jarURI", "jarURI scheme 'file'"}, {confPath(schemes), "has no effect"}}},
		"file allowed for the namespace": {"only the base configuration counts",
			[]func(*jobInput){jar("file:///etc/passwd"), func(in *jobInput) {
				in.Operator = operator(
					"kubernetes.operator.default-configuration.namespace.flink-operator-test."+schemes, "file",
				)
			}}, one("spec.job.jarURI", "jarURI scheme 'file'")},
		"comma for a list": {"it is one scheme with a comma",
			[]func(*jobInput){func(in *jobInput) { in.Operator = operator(schemes, "https,s3") }},
			one("spec.job.jarURI", "jarURI scheme 'https' is not in the allowlist [https,s3]")},
		"metadata service": {"a jar comes from elsewhere", []func(*jobInput){jar("https://169.254.169.254/job.jar")},
			one("spec.job.jarURI", "jarURI host '169.254.169.254' resolves to a restricted address")},
		"restricted hosts allowed": {"the operator says so", []func(*jobInput){jar("https://127.0.0.1/job.jar"),
			func(in *jobInput) {
				in.Operator = operator("kubernetes.operator.user.artifacts.disallow-restricted-hosts", "false")
			}}, nil},
		"host of the list": {"the operator names it", []func(*jobInput){jar("https://jars.intern/job.jar"),
			func(in *jobInput) {
				in.Operator = operator(hosts, "jars.intern")
				in.JarHost = resolved("10.1.2.3")
			}}, nil},
		"host of the list, at a closed address": {"a name opens private addresses only",
			[]func(*jobInput){jar("https://jars.intern/job.jar"), func(in *jobInput) {
				in.Operator = operator(hosts, "jars.intern")
				in.JarHost = resolved("169.254.169.254")
			}}, one("spec.job.jarURI", "restricted address")},
		"host of a job's own list": {"a tenant cannot widen it", []func(*jobInput){jar("https://10.1.2.3/job.jar"),
			func(in *jobInput) { in.Spec.FlinkConfiguration = conf(hosts, "10.1.2.3") }},
			[]finding{{"spec.job.jarURI", "restricted address"}, {confPath(hosts), "has no effect"}}},
		"network of the list": {"it opens its addresses", []func(*jobInput){jar("https://10.1.2.3/job.jar"),
			func(in *jobInput) { in.Operator = operator(hosts, "10.1.0.0/16") }}, nil},
		"localhost of the list": {"by its address", []func(*jobInput){jar("https://localhost/job.jar"),
			func(in *jobInput) { in.Operator = operator(hosts, "127.0.0.0/8") }}, nil},
		"headers that nobody can read": {"no download could send them", []func(*jobInput){withCluster,
			func(in *jobInput) {
				in.Spec.FlinkConfiguration = conf("kubernetes.operator.user.artifacts.http.header", "swordfish")
			}}, one(confPath("kubernetes.operator.user.artifacts.http.header"), "Invalid value for Flink config key")},
		"switch that nobody can read": {"the safe side", []func(*jobInput){jar("https://127.0.0.1/job.jar"),
			func(in *jobInput) {
				in.Operator = operator("kubernetes.operator.user.artifacts.disallow-restricted-hosts", "x")
			}}, []finding{
			{"spec.job.jarURI", "restricted address"},
			{confPath("kubernetes.operator.user.artifacts.disallow-restricted-hosts"), "Invalid value"},
		}},
		"list that nobody can read": {"the safe side",
			[]func(*jobInput){func(in *jobInput) { in.Operator = operator(schemes, "'https") }},
			[]finding{
				{"spec.job.jarURI", "jarURI scheme 'https' is not in the allowlist []"}, {confPath(schemes), "Invalid value"},
			}},
	} {
		t.Run(name, func(t *testing.T) {
			in := sessionJob(t)
			for _, change := range row.changes {
				change(&in)
			}
			check(t, row.reason, validation.SessionJob(in), row.want...)
		})
	}
}

// resolved is a name that has these addresses.
func resolved(addresses ...string) validation.JarHost {
	host := validation.JarHost{Presence: validation.Present}
	for _, text := range addresses {
		host.Addresses = append(host.Addresses, netip.MustParseAddr(text))
	}
	return host
}

func TestJarURI(t *testing.T) {
	const (
		restricted  = "resolves to a restricted address"
		scheme      = "jarURI scheme '"
		unsupported = scheme + "s3' is not supported"
		bad         = "jarURI is not a valid URI"
	)
	for uri, row := range map[string]struct {
		reason string
		lookup validation.JarHost
		want   string
	}{
		"https://example.com/path/to/job.jar": {"allowed", validation.JarHost{}, ""},
		"HTTPS://example.com/job.jar":         {"schemes know no case", validation.JarHost{}, ""},
		"S3://my-bucket/job.jar":              {"schemes know no case", validation.JarHost{}, unsupported},
		"": {
			"the entry class is on the class path",
			validation.JarHost{},
			"",
		},
		"ftp://example.com/job.jar":     {"not on the list", validation.JarHost{}, scheme + "ftp'"},
		"file:///var/run/secrets/token": {"not on the list", validation.JarHost{}, scheme + "file'"},
		"local:///tmp/sample.jar":       {"not on the list", validation.JarHost{}, scheme + "local'"},
		"/no/scheme/job.jar": {
			"no way to fetch it",
			validation.JarHost{},
			"jarURI must include a scheme",
		},
		"<job>.jar": {
			"an illegal character is named, with its place",
			validation.JarHost{},
			bad + `: illegal character "<" at index 0`,
		},
		"job.jar": {
			"no way to fetch it",
			validation.JarHost{},
			"jarURI must include a scheme",
		},
		"ht tp://bad uri":             {"blanks", validation.JarHost{}, bad},
		"https://example.com/a b.jar": {"blanks", validation.JarHost{}, bad},
		"https://example.com/{a}.jar": {"braces", validation.JarHost{}, bad},
		"https://example.com/%zz":     {"a broken escape", validation.JarHost{}, bad},
		"https:///job.jar": {
			"nobody to ask",
			validation.JarHost{},
			"jarURI must include a host",
		},
		"https://１２７.0.0.1/job.jar": {
			"clients may read it as 127.0.0.1", validation.JarHost{}, "jarURI must include a host",
		},
		"https:job.jar": {
			"nobody to ask",
			validation.JarHost{},
			"jarURI must include a host",
		},
		"https://127.0.0.1/job.jar":        {"the operator itself", validation.JarHost{}, restricted},
		"https://localhost/job.jar":        {"the operator itself", validation.JarHost{}, restricted},
		"https://LOCALHOST./job.jar":       {"the operator itself", validation.JarHost{}, restricted},
		"https://a.localhost:8443/job.jar": {"the operator itself", validation.JarHost{}, restricted},
		"https://10.0.0.1/job.jar":         {"inside", validation.JarHost{}, restricted},
		"https://172.16.0.1/job.jar":       {"inside", validation.JarHost{}, restricted},
		"https://192.168.1.1/job.jar":      {"inside", validation.JarHost{}, restricted},
		"https://0.0.0.0/job.jar": {
			"any address is this one",
			validation.JarHost{},
			restricted,
		},
		"https://224.0.0.1/job.jar": {"not one host", validation.JarHost{}, restricted},
		"https://[::1]/job.jar":     {"the operator itself", validation.JarHost{}, restricted},
		"https://[fe80::1]/job.jar": {"the same link", validation.JarHost{}, restricted},
		"https://[fec0::1]/job.jar": {"inside", validation.JarHost{}, restricted},
		"https://[::ffff:10.0.0.1]/job.jar": {
			"an IPv4 address in disguise",
			validation.JarHost{},
			restricted,
		},
		"https://127.1/job.jar": {
			"resolvers read it as 127.0.0.1",
			validation.JarHost{},
			restricted,
		},
		"https://2130706433/job.jar": {
			"resolvers read it as 127.0.0.1",
			validation.JarHost{},
			restricted,
		},
		"https://0x7f.1/job.jar": {
			"resolvers read it as 127.0.0.1",
			validation.JarHost{},
			restricted,
		},
		"https://0x7f000001/job.jar": {
			"resolvers read it as 127.0.0.1",
			validation.JarHost{},
			restricted,
		},
		"https://8.8.8.8/job.jar":         {"a public address", validation.JarHost{}, ""},
		"https://172.32.0.1/job.jar":      {"outside the private block", validation.JarHost{}, ""},
		"https://[2606:4700::1]/job.jar":  {"a public address", validation.JarHost{}, ""},
		"https://[fd00::1]/job.jar":       {"unique-local: the Java operator lets it pass", validation.JarHost{}, restricted},
		"https://100.100.100.200/job.jar": {"metadata: the Java operator lets it pass", validation.JarHost{}, restricted},
		"https://u:secret@10.0.0.1/job.jar": {
			"credentials do not hide a host",
			validation.JarHost{},
			restricted,
		},
		"https://inside.example.com/job.jar": {
			"the name stands for an address inside",
			resolved("10.1.2.3"),
			restricted,
		},
		"https://two.example.com/job.jar": {
			"one of the addresses is inside",
			resolved("8.8.8.8", "127.0.0.1"),
			restricted,
		},
		"https://outside.example.com/job.jar": {
			"all addresses are public",
			resolved("8.8.8.8", "2606:4700::1"),
			"",
		},
		"https://nowhere.example.com/job.jar": {
			"the name does not exist",
			validation.JarHost{Presence: validation.Absent},
			"jarURI host 'nowhere.example.com' cannot be resolved",
		},
		"s3://10.0.0.1/job.jar": {"what is not fetched has no address", validation.JarHost{}, unsupported},
		"https://8.8.8.8/absent-does-not-count": {
			"an address needs no lookup",
			validation.JarHost{Presence: validation.Absent},
			"",
		},
	} {
		t.Run(uri, func(t *testing.T) {
			in := sessionJob(t)
			in.Operator = operator("kubernetes.operator.user.artifacts.allowed-schemes", "https;s3")
			in.Spec.Job.JarURI, in.JarHost = uri, row.lookup
			var want []finding
			if row.want != "" {
				want = one("spec.job.jarURI", row.want)
			}
			check(t, row.reason, validation.SessionJob(in), want...)
		})
	}
}

// What is refused comes with a way that leads on.
func TestTheWayOutOfARefusedJar(t *testing.T) {
	const list = "kubernetes.operator.user.artifacts.allowed-"
	classPath := []string{"name an https URL", "on the class path of the cluster's image and leave jarURI empty"}
	for uri, want := range map[string][]string{
		"s3://b/a.jar": classPath, "gs://b/a.jar": classPath, "hdfs://h/a.jar": classPath, "abfs://h/a.jar": classPath,
		"file:///a.jar": classPath, "local:///a.jar": classPath,
		"http://example.com/a.jar": {"have the operator's configuration extend " + list + "schemes"},
		"https://10.0.0.1/a.jar":   {"have the operator's configuration name this one in " + list + "hosts"},
	} {
		for _, schemes := range []string{"https", "https;s3;gs;hdfs;abfs;file;local"} {
			in := sessionJob(t)
			in.Operator, in.Spec.Job.JarURI = operator(list+"schemes", schemes), uri
			err := validation.SessionJob(in)
			for _, words := range want {
				if err == nil || !strings.Contains(err.Error()+err.Details, words) {
					t.Errorf("%s with %s: %v does not say %q", uri, schemes, err, words)
				}
			}
		}
	}
}

func TestLookupHost(t *testing.T) {
	policy := validation.JarPolicy{Schemes: []string{"HTTPS", "s3"}}
	for uri, want := range map[string]string{
		"https://example.com:8443/a.jar": "example.com",
		"https://10.0.0.1/a.jar":         "",
		"https://localhost/a.jar":        "",
		"https://127.1/a.jar":            "",
		"http://example.com/a.jar":       "",
		"s3://bucket/a.jar":              "",
		"ht tp://x":                      "",
		"https:///a.jar":                 "",
		"":                               "",
	} {
		if got := policy.LookupHost(uri); got != want {
			t.Errorf("%q: asks for %q, want %q", uri, got, want)
		}
	}
	policy.AnyAddress = true
	if got := policy.LookupHost("https://example.com/a.jar"); got != "" {
		t.Errorf("asks for %q although every host is fine", got)
	}
}
