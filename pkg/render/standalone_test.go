package render

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

// The tests of this file have the rows of the tables that only standalone mode has.

// standaloneInput is a standalone cluster with the fields of the spec that a test adds in YAML flow form.
func standaloneInput(t *testing.T, fields string) Input {
	t.Helper()
	return sessionInput(t, "{mode: standalone, "+fields+"}", "kubernetes.taskmanager.cpu.amount: '1'")
}

func renderStandalone(t *testing.T, fields string) Cluster {
	t.Helper()
	cluster, err := MakeCluster(standaloneInput(t, fields))
	if err != nil {
		t.Fatal(err)
	}
	return cluster
}

func mainOf(d *appsv1.Deployment) corev1.Container {
	all := d.Spec.Template.Spec.Containers
	return all[len(all)-1]
}

const (
	application = "job: {jarURI: local:///opt/job.jar, parallelism: 1}, "
	ha          = "high-availability.type: kubernetes, high-availability.storageDir: 's3://b'"
)

func TestStandaloneArguments(t *testing.T) {
	full := "job: {jarURI: local:///opt/job.jar, parallelism: 1, entryClass: a.B, allowNonRestoredState: true, " +
		"args: [--x, $(NAME), a b]}, "
	const address = "-D|jobmanager.rpc.address=$(_POD_IP_ADDRESS)"
	tests := map[string]struct {
		fields string
		from   flinkconf.Start
		want   string // joined with |
		reason string
	}{
		"session": {want: "jobmanager", reason: "TaskManagers find it by the Service"},
		"session, HA": {
			fields: "flinkConfiguration: {" + ha + "}", want: "jobmanager|" + address,
			reason: "the one that leads is found by its own address",
		},
		"session, HA, Flink 1.15": {
			fields: "flinkVersion: v1_15, flinkConfiguration: {" + ha + "}", want: "jobmanager|$(_POD_IP_ADDRESS)",
			reason: "its script takes the first argument for the host",
		},
		"session, HA, Flink 1.16": {
			fields: "flinkVersion: v1_16, flinkConfiguration: {" + ha + "}", want: "jobmanager|" + address,
			reason: "from here on -D is known",
		},
		"session, arguments of the template": {
			fields: "podTemplate: {spec: {containers: [{name: flink-main-container, args: [a]}]}}", want: "a|jobmanager",
			reason: "they stay, in front",
		},
		"application": {fields: application, want: "standalone-job", reason: "the jar names its class"},
		"application, all": {
			fields: full + "flinkConfiguration: {" + ha + "}", from: flinkconf.Start{SavepointPath: "s3://b/sp"},
			want: "standalone-job|--job-classname|a.B|--allowNonRestoredState|--fromSavepoint|s3://b/sp|" + address +
				"|--x|$(NAME)|a b",
			reason: "the job's own come last, each as it is",
		},
		"application, arguments that Flink would take": {
			fields: "job: {jarURI: local:///opt/job.jar, parallelism: 1, args: [--from, yesterday, -n, --, x]}, ",
			want:   "standalone-job|--|--from|yesterday|-n|--|x",
			reason: "--from is short for --fromSavepoint, and -n leaves out state that no operator claims",
		},
		"application, an option of Flink's with its value": {
			fields: "job: {jarURI: local:///opt/job.jar, parallelism: 1, args: [--job-id=7]}, ",
			want:   "standalone-job|--|--job-id=7",
			reason: "the job has an ID from the operator",
		},
		"application, a dash": {
			fields: "job: {jarURI: local:///opt/job.jar, parallelism: 1, args: [-Dkey=value]}, ",
			want:   "standalone-job|--|-Dkey=value", reason: "it would set an option of Flink's",
		},
		"application, options of the job alone": {
			fields: "job: {jarURI: local:///opt/job.jar, parallelism: 1, args: [--input, a, -n]}, ",
			want:   "standalone-job|--input|a|-n", reason: "Flink stops at the first that is none of its own",
		},
		"application, HA, Flink 1.15": {
			fields: application + "flinkVersion: v1_15, flinkConfiguration: {" + ha + "}", want: "standalone-job|" + address,
			reason: "applications take -D in every version",
		},
		"application, HA, Flink 2.0": {
			fields: application + "flinkVersion: v2_0, flinkConfiguration: {" + ha + "}", want: "standalone-job|" + address,
			reason: "there is no --host any more",
		},
		"application, last state": {
			fields: application, from: flinkconf.Start{LastState: true},
			want:   "standalone-job|--fromSavepoint|KUBERNETES_OPERATOR_LAST_STATE",
			reason: "it fails rather than to start empty",
		},
		"application, unclaimed state by the newer option": {
			fields: application + "flinkConfiguration: {execution.state-recovery.ignore-unclaimed-state: true}",
			want:   "standalone-job|--allowNonRestoredState", reason: "arguments beat options in Flink",
		},
		"application, unclaimed state kept": {
			fields: "job: {jarURI: local:///opt/job.jar, parallelism: 1, allowNonRestoredState: false}",
			want:   "standalone-job", reason: "false is Flink's default",
		},
		"application, arguments of the template": {
			fields: application + "podTemplate: {spec: {containers: [{name: flink-main-container, args: [a]}]}}",
			want:   "standalone-job", reason: "they are replaced",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			input := standaloneInput(t, test.fields)
			deployed, err := flinkconf.Deploy(flinkconf.DeployInput{
				Operator: operatorDefaults, Namespace: "ns", Name: "demo", UID: "u", Spec: &input.Spec,
				Start: flinkconf.Start{
					JobID: "0a", JobResultStoreDir: "d", SavepointPath: test.from.SavepointPath, LastState: test.from.LastState,
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			deployed.Cluster["kubernetes.taskmanager.cpu.amount"] = "1"
			input.Config = deployed
			cluster, err := MakeCluster(input)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(mainContainer(cluster).Args, "|"); got != test.want {
				t.Errorf("%s: got %s, want %s", test.reason, got, test.want)
			}
			if got := mainOf(cluster.TaskManager).Args; !slices.Equal(got, []string{"taskmanager"}) {
				t.Errorf("TaskManagers run %v", got)
			}
		})
	}
}

func TestStandaloneObjects(t *testing.T) {
	plain := []string{"Service demo", "Service demo-rest", "ConfigMap flink-config-demo"}
	tests := map[string]struct {
		fields string
		change func(*Input)
		want   []string
		reason string
	}{
		"plain": {want: plain, reason: "as in native mode"},
		"high availability": {
			fields: "flinkConfiguration: {" + ha + "}", want: plain, reason: "jobmanager.rpc.address names the Service",
		},
		"pod template": {
			fields: "podTemplate: {spec: {priorityClassName: high}}", want: plain,
			reason: "nobody in the cluster makes pods from it",
		},
		"Hadoop and Kerberos, switched off": {
			fields: "flinkConfiguration: {kubernetes.decorator.hadoop-conf-mount.enabled: false, " +
				"kubernetes.decorator.kerberos-mount.enabled: false, security.kerberos.login.keytab: /k, " +
				"security.kerberos.login.principal: me, security.kerberos.krb5-conf.path: /c}",
			change: func(in *Input) {
				in.HadoopFiles = map[string]string{"core-site.xml": "x"}
				in.KerberosFiles = map[string][]byte{"/k": {1}, "/c": {2}}
			},
			want: []string{"Service demo", "Service demo-rest", "ConfigMap hadoop-config-demo",
				"ConfigMap kerberos-krb5conf-demo", "ConfigMap flink-config-demo", "Secret kerberos-keytab-demo"},
			reason: "the switches are native mode's",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			input := standaloneInput(t, test.fields)
			if test.change != nil {
				test.change(&input)
			}
			cluster, err := MakeCluster(input)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, companions(cluster)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.reason, diff)
			}
			var names []string
			for _, d := range cluster.OwnedBy("d-1").Deployments() {
				names = append(names, d.Name+" of "+d.OwnerReferences[0].Kind)
			}
			if want := []string{"demo of FlinkDeployment", "demo-taskmanager of Deployment"}; !slices.Equal(names, want) {
				t.Errorf("Deployments %v, want %v: the TaskManagers end with the JobManager", names, want)
			}
		})
	}
}

func TestTaskManagerReplicas(t *testing.T) {
	const slots = "flinkConfiguration: {taskmanager.numberOfTaskSlots: 2}"
	tests := map[string]struct {
		fields string
		want   int32
		reason string
	}{
		"session":        {"", 1, "Flink's default"},
		"session, sized": {"taskManager: {replicas: 3}", 3, "as written"},
		"application":    {"job: {parallelism: 5}, " + slots, 3, "rounded up"},
		"replicas win":   {"job: {parallelism: 5}, taskManager: {replicas: 2}", 2, "the parallelism follows them"},
		"by the vertices": {
			"job: {parallelism: 1}, flinkConfiguration: {pipeline.jobvertex-parallelism-overrides: 'a:4'}", 4,
			"an autoscaler has said more",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := *renderStandalone(t, test.fields).TaskManager.Spec.Replicas; got != test.want {
				t.Errorf("%s: got %d, want %d", test.reason, got, test.want)
			}
		})
	}
}

func TestUserLib(t *testing.T) {
	mounting := func(path string) string {
		return ", podTemplate: {spec: {containers: [{name: flink-main-container, " +
			"volumeMounts: [{name: v, mountPath: " + path + "}]}]}}"
	}
	const elsewhere, inside = "local:///opt/job.jar", "local:///opt/flink/usrlib/job.jar"
	job := func(jar string) string { return "job: {jarURI: '" + jar + "', parallelism: 1}" }
	tests := map[string]struct {
		fields          string
		mounted, warned bool
		reason          string
	}{
		"session":             {"", false, false, "it has no jar of its own"},
		"no jar":              {job(""), false, false, "the class is on Flink's own class path"},
		"jar":                 {job(elsewhere), true, false, "without the directory Flink searches its own class path only"},
		"jar by an address":   {job("https://x/opt/flink/usrlib/job.jar"), true, false, "it is not in the image"},
		"jar below":           {job(inside), true, true, "the empty directory hides it"},
		"mounted by the user": {job(inside) + mounting("/opt/flink/usrlib"), false, false, "it is there already"},
		"mounted deeper":      {job(inside) + mounting("/opt/flink/usrlib/a"), false, false, "so is its parent"},
		"mounted elsewhere":   {job(elsewhere) + mounting("/opt/flink"), true, false, "only the directory counts"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cluster := renderStandalone(t, test.fields)
			has := func(d *appsv1.Deployment) bool {
				return slices.ContainsFunc(d.Spec.Template.Spec.Volumes, func(v corev1.Volume) bool {
					return v.Name == volumeUserLib && v.EmptyDir != nil
				})
			}
			warned := strings.Contains(strings.Join(cluster.Notes, "\n"), "usrlib")
			if has(cluster.JobManager) != test.mounted || warned != test.warned {
				t.Errorf("%s: mounted %t, notes %v", test.reason, has(cluster.JobManager), cluster.Notes)
			}
			if has(cluster.TaskManager) {
				t.Error("TaskManagers load what the JobManager names")
			}
		})
	}
}

// TestTaskManagerPrecedence has who wins, option or template, in the TaskManagers' pods.
func TestTaskManagerPrecedence(t *testing.T) {
	const templated = "podTemplate: {spec: {serviceAccountName: t, dnsPolicy: None, hostNetwork: true, containers: [" +
		"{name: flink-main-container, image: t, imagePullPolicy: Never, command: [t], args: [t]}]}}, "
	tests := map[string]struct {
		fields, want, note string
		reason             string
	}{
		"options": {
			"imagePullPolicy: Always", "flink:1.20 Always flink", "", "as the spec says",
		},
		"options and template": {
			templated + "imagePullPolicy: Always", "flink:1.20 Always flink", "image t", "the template is not looked at",
		},
		"template": {
			templated + "image: '', serviceAccount: ''", "apache/flink:1.20.4-scala_2.12 IfNotPresent default", "image t",
			"even a default wins over it",
		},
		"an account of their own": {
			"flinkConfiguration: {kubernetes.taskmanager.service-account: tm}", "flink:1.20 IfNotPresent tm", "",
			"the narrower option wins",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cluster := renderStandalone(t, test.fields)
			pod, main := cluster.TaskManager.Spec.Template.Spec, mainOf(cluster.TaskManager)
			got := main.Image + " " + string(main.ImagePullPolicy) + " " + pod.ServiceAccountName
			if got != test.want || pod.DeprecatedServiceAccount != pod.ServiceAccountName {
				t.Errorf("%s: got %q (and account %s), want %q", test.reason, got, pod.DeprecatedServiceAccount, test.want)
			}
			if notes := strings.Join(cluster.Notes, "\n"); (test.note == "") == strings.Contains(notes, "image") ||
				!strings.Contains(notes, test.note) {
				t.Errorf("notes %q, want the mention of %q", notes, test.note)
			}
		})
	}
}

func TestStandaloneRefused(t *testing.T) {
	tests := map[string]struct {
		fields, where string
		reason        string
	}{
		"another label app": {
			"flinkConfiguration: {kubernetes.jobmanager.labels: 'app:other'}", "kubernetes.jobmanager.labels",
			"the Deployment would not find its own pods",
		},
		"another component": {
			"flinkConfiguration: {kubernetes.jobmanager.labels.component: mine}", "kubernetes.jobmanager.labels",
			"prefix notation, too",
		},
		"the same label": {
			"flinkConfiguration: {kubernetes.jobmanager.labels: 'app:demo'}", "", "it changes nothing",
		},
		"label of a TaskManager": {
			"flinkConfiguration: {kubernetes.taskmanager.labels: 'app:other'}", "", "the selector wins",
		},
		"no cpu": {
			"flinkConfiguration: {kubernetes.taskmanager.cpu.amount: -1.0}", "spec.taskManager.resources.requests.cpu",
			"only native mode takes the number of slots",
		},
		"cpu of nothing": {
			"flinkConfiguration: {kubernetes.taskmanager.cpu.amount: 0.0}", "", "Kubernetes runs such a pod where there is room",
		},
		"limit below the request": {
			"flinkConfiguration: {kubernetes.taskmanager.memory.limit-factor: 0.5}",
			"kubernetes.taskmanager.memory.limit-factor", "Kubernetes would refuse the pod",
		},
		"no TaskManagers": {
			"flinkConfiguration: {kubernetes.internal.taskmanager.replicas: 0}", "kubernetes.internal.taskmanager.replicas",
			"a cluster that can run nothing",
		},
		"half of Kerberos, switched off": {
			"flinkConfiguration: {kubernetes.decorator.kerberos-mount.enabled: false, security.kerberos.login.keytab: /k}",
			"security.kerberos.login.principal", "the switch is native mode's",
		},
		"upload": {
			"flinkConfiguration: {kubernetes.artifacts.local-upload-enabled: true}", "",
			"it is a step of native mode's client",
		},
		"template file": {
			"flinkConfiguration: {kubernetes.pod-template-file.taskmanager: /tm.yaml}",
			"kubernetes.pod-template-file.taskmanager", "this operator reads no files",
		},
		"two jars": {
			application + "flinkConfiguration: {pipeline.jars: 'a;b'}", "", "the JobManager does not read them",
		},
		"too small": {
			"taskManager: {resource: {memory: 1m}}", "taskmanager.memory.process.size", "the process would not start",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cluster, err := MakeCluster(standaloneInput(t, test.fields))
			if test.where == "" {
				if err != nil {
					t.Errorf("%s: %v", test.reason, err)
				}
				return
			}
			var spec *SpecError
			if !errors.As(err, &spec) || !strings.Contains(err.Error(), test.where) {
				t.Errorf("%s: got %v, want an error that names %s", test.reason, err, test.where)
			}
			if cluster.JobManager != nil || cluster.TaskManager != nil {
				t.Error("an error and a cluster")
			}
		})
	}
}
