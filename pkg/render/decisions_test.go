package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/render/podtemplate"
)

// The tests of this file have the rows of the decision tables that stand above the functions.

// renderSession makes the session cluster of sessionInput with a flinkConfiguration in YAML flow form.
func renderSession(t *testing.T, flinkConfiguration string, change func(*Input)) Cluster {
	t.Helper()
	input := sessionInput(t, "{flinkConfiguration: {"+flinkConfiguration+"}}", "")
	if change != nil {
		change(&input)
	}
	cluster, err := MakeCluster(input)
	if err != nil {
		t.Fatal(err)
	}
	return cluster
}

func mainContainer(c Cluster) corev1.Container {
	all := c.JobManager.Spec.Template.Spec.Containers
	return all[len(all)-1]
}

// names of what a cluster is made of, after the Deployment.
func companions(c Cluster) []string {
	var names []string
	for _, o := range c.Services {
		names = append(names, "Service "+o.Name)
	}
	for _, o := range c.ConfigMaps {
		names = append(names, "ConfigMap "+o.Name)
	}
	for _, o := range c.Secrets {
		names = append(names, "Secret "+o.Name)
	}
	return names
}

func TestWhichObjects(t *testing.T) {
	tests := map[string]struct {
		options string
		change  func(*Input)
		want    []string
		reason  string
	}{
		"plain": {
			want:   []string{"Service demo", "Service demo-rest", "ConfigMap flink-config-demo"},
			reason: "TaskManagers find the JobManager by the internal Service",
		},
		"high availability": {
			options: "high-availability.type: kubernetes, high-availability.storageDir: 's3://b'",
			want:    []string{"Service demo-rest", "ConfigMap flink-config-demo"},
			reason:  "the leader record has the address",
		},
		"high availability by its older name": {
			options: "high-availability: zookeeper",
			want:    []string{"Service demo-rest", "ConfigMap flink-config-demo"},
			reason:  "both spellings count",
		},
		"high availability that is none": {
			options: "high-availability.type: NONE",
			want:    []string{"Service demo", "Service demo-rest", "ConfigMap flink-config-demo"},
			reason:  "NONE and standalone are no high availability",
		},
		"everything": {
			options: "security.kerberos.login.keytab: /k, security.kerberos.login.principal: me, " +
				"security.kerberos.krb5-conf.path: /c",
			change: func(in *Input) {
				in.HadoopFiles = map[string]string{"core-site.xml": "x"}
				in.KerberosFiles = map[string][]byte{"/k": {1}, "/c": {2}}
				in.Spec.PodTemplate = &v1beta1.PodTemplate{}
			},
			want: []string{"Service demo", "Service demo-rest", "ConfigMap hadoop-config-demo",
				"ConfigMap kerberos-krb5conf-demo",
				"ConfigMap flink-config-demo", "ConfigMap pod-template-demo", "Secret kerberos-keytab-demo"},
			reason: "the order within a kind is that of Flink's client",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := companions(renderSession(t, test.options, test.change))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.reason, diff)
			}
		})
	}
}

func TestRestServiceTypes(t *testing.T) {
	tests := map[string]struct {
		option, kind, clusterIP string
		reason                  string
	}{
		"default":       {"", "ClusterIP", "", "the operator's default, written to the configuration too"},
		"cluster IP":    {"ClusterIP", "ClusterIP", "", "an address inside the cluster"},
		"headless":      {"Headless_ClusterIP", "ClusterIP", "None", "a name without an address of its own"},
		"node port":     {"NodePort", "NodePort", "", "a port on every node"},
		"load balancer": {"loadbalancer", "LoadBalancer", "", "the case of an enumeration does not matter"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			options := ""
			if test.option != "" {
				options = "kubernetes.rest-service.exposed.type: " + test.option
			}
			cluster := renderSession(t, options, nil)
			spec := cluster.Services[1].Spec
			if string(spec.Type) != test.kind || spec.ClusterIP != test.clusterIP {
				t.Errorf("%s: got type %s, clusterIP %q", test.reason, spec.Type, spec.ClusterIP)
			}
		})
	}
}

// TestPrecedence has the order explicit option, template, default for the three fields that have it.
func TestPrecedence(t *testing.T) {
	const templated = `{"spec":{"serviceAccountName":"t","containers":[{"name":"flink-main-container","image":"t",` +
		`"imagePullPolicy":"Never"}]}}`
	tests := map[string]struct {
		spec, options, template string
		want                    string // image, pull policy, account
		reason                  string
	}{
		"nothing": {
			spec: `{image: "", serviceAccount: ""}`, want: "apache/flink:1.20.4-scala_2.12 IfNotPresent default",
			reason: "the options' defaults",
		},
		"template": {
			spec: `{image: "", serviceAccount: ""}`, template: templated, want: "t Never t",
			reason: "a template beats a default",
		},
		"spec": {
			spec: `{image: i, imagePullPolicy: Always, serviceAccount: s}`, want: "i Always s",
			reason: "the spec sets the options",
		},
		"spec and template": {
			spec: `{image: i, imagePullPolicy: Always, serviceAccount: s}`, template: templated, want: "i Always s",
			reason: "an explicit option beats a template",
		},
		"the older image key": {
			spec: `{image: "", serviceAccount: "", flinkConfiguration: {kubernetes.container.image: o}}`, template: templated,
			want: "o Never t", reason: "an alias is explicit too",
		},
		"an account of the JobManager's own": {
			spec: `{serviceAccount: s, flinkConfiguration: {kubernetes.jobmanager.service-account: jm}}`, template: templated,
			want: "flink:1.20 Never jm", reason: "the narrower option wins",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			spec := test.spec
			if test.template != "" {
				spec = strings.TrimSuffix(spec, "}") + ", podTemplate: " + test.template + "}"
			}
			cluster, err := MakeCluster(sessionInput(t, spec, ""))
			if err != nil {
				t.Fatal(err)
			}
			pod, main := cluster.JobManager.Spec.Template.Spec, mainContainer(cluster)
			got := fmt.Sprintf("%s %s %s", main.Image, main.ImagePullPolicy, pod.ServiceAccountName)
			if got != test.want || pod.DeprecatedServiceAccount != pod.ServiceAccountName {
				t.Errorf("%s: got %q (and account %s), want %q", test.reason, got, pod.DeprecatedServiceAccount, test.want)
			}
		})
	}
}

func TestNetwork(t *testing.T) {
	tests := map[string]struct {
		hostNetwork, template string
		dns                   corev1.DNSPolicy
		host                  bool
		ports                 int
		reason                string
	}{
		"plain":          {"false", `{}`, corev1.DNSClusterFirst, false, 3, "Flink's own defaults"},
		"template's dns": {"false", `{dnsPolicy: None}`, corev1.DNSNone, false, 3, "a template may choose"},
		"blank dns":      {"false", `{dnsPolicy: " "}`, corev1.DNSClusterFirst, false, 3, "blank is not chosen"},
		"template's host": {
			"false", `{hostNetwork: true}`, corev1.DNSClusterFirst, false, 3, "only the option decides about the network",
		},
		"host network": {
			"true", `{dnsPolicy: None}`, corev1.DNSClusterFirstWithHostNet, true, 0,
			"names of the cluster must still resolve, and Flink picks free ports",
		},
		"ports of the template's": {
			"true", `{containers: [{name: flink-main-container, ports: [{containerPort: 1}]}]}`,
			corev1.DNSClusterFirstWithHostNet, true, 1, "those are the user's",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cluster, err := MakeCluster(sessionInput(t, "{podTemplate: {spec: "+test.template+
				"}, flinkConfiguration: {kubernetes.hostnetwork.enabled: "+test.hostNetwork+"}}", ""))
			if err != nil {
				t.Fatal(err)
			}
			pod := cluster.JobManager.Spec.Template.Spec
			if pod.DNSPolicy != test.dns || pod.HostNetwork != test.host || len(mainContainer(cluster).Ports) != test.ports {
				t.Errorf(
					"%s: got %s, host %v, %d ports", test.reason, pod.DNSPolicy, pod.HostNetwork,
					len(mainContainer(cluster).Ports),
				)
			}
		})
	}
}

func TestLogConfiguration(t *testing.T) {
	defaults := map[string]string{"log4j-console.properties": "default", "logback-console.xml": "default", "x": "y"}
	tests := map[string]struct {
		spec map[string]string
		want []string
		from string
	}{
		"the operator's, without others": {
			nil, []string{"logback-console.xml", "log4j-console.properties", "flink-conf.yaml"}, "default",
		},
		"only those given": {
			map[string]string{"logback-console.xml": "own"}, []string{"logback-console.xml", "flink-conf.yaml"}, "own",
		},
		"none, on purpose": {map[string]string{}, []string{"flink-conf.yaml"}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cluster := renderSession(t, "", func(in *Input) { in.LogFiles, in.Spec.LogConfiguration = defaults, test.spec })
			data := cluster.ConfigMaps[0].Data
			var items []string
			for _, volume := range cluster.JobManager.Spec.Template.Spec.Volumes {
				if volume.Name != volumeConfig {
					continue
				}
				for _, item := range volume.ConfigMap.Items {
					items = append(items, item.Key)
				}
			}
			if diff := cmp.Diff(test.want, items); diff != "" || len(data) != len(items) {
				t.Errorf("%d files, mounted (-want +got):\n%s", len(data), diff)
			}
			if data["logback-console.xml"] != test.from {
				t.Errorf("got %q from %q", data["logback-console.xml"], test.from)
			}
		})
	}
}

func TestHadoop(t *testing.T) {
	const named = "kubernetes.hadoop.conf.config-map.name: mine"
	files := map[string]string{"hdfs-site.xml": "h", "core-site.xml": "c", "yarn-site.xml": "y"}
	tests := map[string]struct {
		options string
		files   map[string]string
		source  string   // the mounted ConfigMap
		items   []string // nil for the whole ConfigMap
		reason  string
	}{
		"off": {
			options: named + ", kubernetes.decorator.hadoop-conf-mount.enabled: false", files: files, reason: "switched off",
		},
		"nothing there":     {reason: "no Hadoop, no mount"},
		"other files":       {files: map[string]string{"yarn-site.xml": "y"}, reason: "only two files count"},
		"named":             {options: named, source: "mine", reason: "the user's ConfigMap is mounted whole"},
		"named beats files": {options: named, files: files, source: "mine", reason: "the option is explicit"},
		"files": {
			files: files, source: "hadoop-config-demo", items: []string{"core-site.xml", "hdfs-site.xml"},
			reason: "in the order of Flink's client",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cluster := renderSession(t, test.options, func(in *Input) { in.HadoopFiles = test.files })
			source, items, variable := "", []string(nil), ""
			for _, volume := range cluster.JobManager.Spec.Template.Spec.Volumes {
				if volume.Name == volumeHadoop {
					source = volume.ConfigMap.Name
					for _, item := range volume.ConfigMap.Items {
						items = append(items, item.Path)
					}
				}
			}
			for _, env := range mainContainer(cluster).Env {
				if env.Name == envHadoopDir {
					variable = env.Value
				}
			}
			if diff := cmp.Diff(test.items, items); diff != "" || source != test.source ||
				(variable == hadoopDir) != (source != "") {
				t.Errorf("%s: mounted %q, variable %q, items (-want +got):\n%s", test.reason, source, variable, diff)
			}
		})
	}
}

func TestKeytab(t *testing.T) {
	const pair = "security.kerberos.login.keytab: /etc/k.keytab, security.kerberos.login.principal: me"
	tests := map[string]struct {
		options, line string
		secrets       int
		reason        string
	}{
		"not set": {reason: "no Kerberos"},
		"pair": {
			options: pair, line: "security.kerberos.login.keytab: /opt/kerberos/kerberos-keytab/k.keytab", secrets: 1,
			reason: "Flink in the pod finds it at the mount",
		},
		"off": {
			options: pair + ", kubernetes.decorator.kerberos-mount.enabled: false",
			line:    "security.kerberos.login.keytab: /etc/k.keytab", reason: "the user mounts it where the option says",
		},
		"blank pair": {
			options: "security.kerberos.login.keytab: ' ', security.kerberos.login.principal: ''", reason: "blank is not set",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cluster := renderSession(t, test.options, func(in *Input) {
				in.KerberosFiles = map[string][]byte{"/etc/k.keytab": {1}}
			})
			if len(cluster.Secrets) != test.secrets {
				t.Errorf("%s: %d Secrets", test.reason, len(cluster.Secrets))
			}
			if text := cluster.ConfigMaps[0].Data["flink-conf.yaml"]; !strings.Contains(text, test.line+"\n") &&
				test.line != "" {
				t.Errorf("%s: no line %q in\n%s", test.reason, test.line, text)
			}
		})
	}
}

// TestOptionsOfNewerVersions has options that a Flink release brought and older ones do not know.
func TestOptionsOfNewerVersions(t *testing.T) {
	const options = `kubernetes.rest-service.labels: "a:b,app:x", kubernetes.persistent-volume-claims: "claim:/c"`
	tests := map[v1beta1.FlinkVersion]struct {
		labels map[string]string
		claims int
	}{
		v1beta1.FlinkV2_1: {labels: ClusterLabels("demo", v1beta1.ModeNative)},
		v1beta1.FlinkV2_2: {labels: map[string]string{"app": "demo", "type": TypeNative, "a": "b"}},
		v1beta1.FlinkV2_3: {labels: map[string]string{"app": "demo", "type": TypeNative, "a": "b"}, claims: 1},
	}
	for version, test := range tests {
		t.Run(string(version), func(t *testing.T) {
			cluster, err := MakeCluster(sessionInput(
				t, "{flinkVersion: "+string(version)+", flinkConfiguration: {"+options+"}}", "",
			))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.labels, cluster.Services[1].Labels); diff != "" {
				t.Errorf("labels of the REST Service (-want +got):\n%s", diff)
			}
			claims := 0
			for _, volume := range cluster.JobManager.Spec.Template.Spec.Volumes {
				if volume.PersistentVolumeClaim != nil {
					claims++
				}
			}
			if claims != test.claims {
				t.Errorf("%d claims mounted, want %d", claims, test.claims)
			}
		})
	}
}

func TestExtraResources(t *testing.T) {
	one := func(quantity string) map[string]string { return map[string]string{"ephemeral-storage": quantity} }
	tests := map[string]struct {
		usable *v1beta1.ResourceRequirements
		legacy *v1beta1.Resource
		want   podtemplate.Resources
		reason string
	}{
		"nothing": {reason: "nothing is asked for"},
		"empty": {
			usable: &v1beta1.ResourceRequirements{}, legacy: &v1beta1.Resource{Memory: "1g"},
			reason: "memory is Flink's to size",
		},
		"older field": {
			legacy: &v1beta1.Resource{EphemeralStorage: "1G"},
			want:   podtemplate.Resources{Requests: one("1G"), Limits: one("1G")}, reason: "it is request and limit",
		},
		"blank": {legacy: &v1beta1.Resource{EphemeralStorage: " "}, reason: "blank is not set"},
		"empty, older": {
			usable: &v1beta1.ResourceRequirements{}, legacy: &v1beta1.Resource{EphemeralStorage: "1G"},
			want: podtemplate.Resources{Requests: one("1G"), Limits: one("1G")}, reason: "empty resources count as absent",
		},
		"usable, older": {
			usable: &v1beta1.ResourceRequirements{Requests: map[string]v1beta1.Quantity{"cpu": "1"}},
			legacy: &v1beta1.Resource{EphemeralStorage: "1G"}, reason: "usable resources silence the older field",
		},
		"others only": {
			usable: &v1beta1.ResourceRequirements{
				Requests: map[string]v1beta1.Quantity{"cpu": "1", "memory": "1Gi", "ephemeral-storage": "1Gi"},
				Limits:   map[string]v1beta1.Quantity{"x/y": "2"},
			},
			want:   podtemplate.Resources{Requests: one("1Gi"), Limits: map[string]string{"x/y": "2"}},
			reason: "everything but cpu and memory",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, extraResources(test.usable, test.legacy), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.reason, diff)
			}
		})
	}
}

func TestSpecError(t *testing.T) {
	cause := fmt.Errorf("cause")
	err := &SpecError{Where: "a.b", Value: "c", Problem: "is wrong", Err: cause}
	if got, want := err.Error(), `a.b "c": is wrong: cause`; got != want || err.Unwrap() != cause {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := (&SpecError{Where: "a.b", Problem: "is wrong"}).Error(), "a.b: is wrong"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
