package manifests

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// made is what is made of an example: the pods of both kinds by their names here, and Flink's configuration.
func made(t *testing.T, file string) (pods map[string]corev1.PodTemplateSpec, configuration flinkconf.Config) {
	t.Helper()
	var d v1beta1.FlinkDeployment
	if err := kube.Typed(&files(t, "../../examples/cloud")[file][0], &d); err != nil {
		t.Fatal(err)
	}
	const id = "00000000000000000000000000000001"
	composed, err := flinkconf.Deploy(flinkconf.DeployInput{
		Operator: flinkconf.NewOperator(nil), Namespace: "default", Name: d.Name, UID: "uid", Generation: 1, Spec: &d.Spec,
		Start: flinkconf.Start{JobID: id, JobResultStoreDir: id},
	})
	if err != nil {
		t.Fatal(err)
	}
	in := render.Input{Namespace: "default", Name: d.Name, UID: "uid", Spec: d.Spec, Config: composed}
	cluster, err := render.MakeCluster(in)
	if err != nil {
		t.Fatal(err)
	}
	taskManager, err := render.MakeNativeTaskManager(in)
	if err != nil || taskManager == nil {
		t.Fatalf("no TaskManager: %v", err)
	}
	return map[string]corev1.PodTemplateSpec{
		"JobManager": cluster.JobManager.Spec.Template, "TaskManager": *taskManager,
	}, composed.Cluster
}

// Both kinds of pods act as the account that has the identity, and have what the cloud, or the vault, looks for.
func TestPodsHaveTheIdentityOfTheirCloud(t *testing.T) {
	for file, row := range map[string]struct {
		annotation    string // of the service account
		plugin        string
		label, node   string
		secret        string // of the environment
		configuration map[string]string
	}{
		"aws.yaml": {annotation: "eks.amazonaws.com/role-arn", plugin: "flink-s3-fs-presto"},
		"gcp.yaml": {
			annotation: "iam.gke.io/gcp-service-account", plugin: "flink-gs-fs-hadoop",
			node: "iam.gke.io/gke-metadata-server-enabled",
		},
		"azure.yaml": {
			annotation: "azure.workload.identity/client-id", plugin: "flink-azure-fs-hadoop",
			label: "azure.workload.identity/use",
			configuration: map[string]string{
				"fs.azure.account.auth.type":         "OAuth",
				"fs.azure.account.oauth2.client.id":  "11111111-1111-1111-1111-111111111111",
				"fs.azure.account.oauth2.msi.tenant": "00000000-0000-0000-0000-000000000000",
				"fs.azure.account.oauth.provider.type": "org.apache.flink.fs.shaded.hadoop3." +
					"org.apache.hadoop.fs.azurebfs.oauth2.WorkloadIdentityTokenProvider",
			},
		},
		"external-secrets.yaml": {plugin: "flink-s3-fs-presto", secret: "external-secrets-s3"},
	} {
		t.Run(file, func(t *testing.T) {
			objects := files(t, "../../examples/cloud")[file]
			if other := objects[1]; row.annotation != "" && (other.GetKind() != "ServiceAccount" ||
				other.GetName() != "flink" || other.GetAnnotations()[row.annotation] == "") {
				t.Errorf("service account %s has no annotation %s", other.GetName(), row.annotation)
			}
			pods, configuration := made(t, file)
			for name, pod := range pods {
				if pod.Spec.ServiceAccountName != "flink" {
					t.Errorf("the %s acts as %q", name, pod.Spec.ServiceAccountName)
				}
				if row.label != "" && pod.Labels[row.label] != "true" {
					t.Errorf("the %s has labels %v", name, pod.Labels)
				}
				if row.node != "" && pod.Spec.NodeSelector[row.node] != "true" {
					t.Errorf("the %s is for nodes %v", name, pod.Spec.NodeSelector)
				}
				main := pod.Spec.Containers[0]
				version := main.Image[strings.LastIndex(main.Image, ":")+1:]
				if want := (corev1.EnvVar{
					Name: "ENABLE_BUILT_IN_PLUGINS", Value: row.plugin + "-" + version + ".jar",
				}); !slices.Contains(main.Env, want) {
					t.Errorf("the %s has no %v: %v", name, want, main.Env)
				}
				if from := main.EnvFrom; row.secret != "" && (len(from) != 1 || from[0].SecretRef.Name != row.secret) {
					t.Errorf("the %s has its environment from %v", name, from)
				}
			}
			for key, want := range row.configuration {
				if configuration[key] != want {
					t.Errorf("%s is %q, want %q", key, configuration[key], want)
				}
			}
		})
	}
}

// The certificate of the example is one of the JobManager's Service, and its key store is where Flink looks.
func TestTheCertificateIsThatOfTheJobManager(t *testing.T) {
	objects := files(t, "../../examples/cloud")["cert-manager.yaml"]
	certificate := objects[1].Object["spec"].(map[string]any)
	want := render.RestServiceName("cert-manager") + ".default.svc"
	if names := certificate["dnsNames"].([]any); len(names) != 1 || names[0] != want {
		t.Errorf("it names %v, want %s", names, want)
	}
	if at := objects[2]; at.GetNamespace() != "flink-system" ||
		at.Object["spec"].(map[string]any)["secretName"] != "flink-operator-cert" {
		t.Errorf("the functions find no CA in %s/%v", at.GetNamespace(), at.Object["spec"])
	}
	pods, configuration := made(t, "cert-manager.yaml")
	for name, pod := range pods {
		mounted := slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool {
			return v.Secret != nil && v.Secret.SecretName == certificate["secretName"]
		}) && slices.ContainsFunc(pod.Spec.Containers[0].VolumeMounts, func(m corev1.VolumeMount) bool {
			return m.MountPath == "/flink-tls"
		})
		if !mounted {
			t.Errorf("the %s does not have the Secret of the certificate", name)
		}
	}
	store := certificate["keystores"].(map[string]any)["pkcs12"].(map[string]any)
	for key, want := range map[string]any{
		"security.ssl.rest.enabled": "true", "security.ssl.rest.keystore": "/flink-tls/keystore.p12",
		"security.ssl.rest.keystore-password": store["password"],
	} {
		if configuration[key] != want {
			t.Errorf("%s is %q, want %q", key, configuration[key], want)
		}
	}
}
