package render

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// Names that the pods of every Flink version rely on (Flink: org.apache.flink.kubernetes.utils.Constants).
const (
	// PortRest is the container port and Service port of the REST endpoint.
	PortRest = "rest"
	// PortJobManager is the port of the JobManager's RPC endpoint.
	PortJobManager = "jobmanager-rpc"
	// PortBlob is the port of the blob server.
	PortBlob = "blobserver"

	envPodIP  = "_POD_IP_ADDRESS"
	envLogDir = "FLINK_LOG_DIR"

	volumeArtifacts = "user-artifacts-volume"

	defaultRestPort int32 = flinkconf.RestPort
)

// deployment makes the Deployment around the finished pod.
func (b *builder) deployment(p *pod) *appsv1.Deployment {
	replicas := b.number(key.JobManagerReplicas)
	switch {
	case replicas < 1:
		b.fail(
			&SpecError{
				Where: key.JobManagerReplicas.Key, Value: strconv.Itoa(replicas),
				Problem: "should not be configured less than one",
			},
		)
	case replicas > 1 && !b.highlyAvailable():
		b.fail(&SpecError{
			Where: key.JobManagerReplicas.Key, Value: strconv.Itoa(replicas),
			Problem: "more than one JobManager needs high availability: set " + key.HighAvailability.Key,
		})
	}
	count := int32(replicas)
	no, yes := false, true
	metadata := b.metadata(DeploymentName(b.in.Name), b.jobManagerLabels())
	metadata.Annotations = overlay(b.mapping(key.JobManagerAnnotations), metadata.Annotations)
	metadata.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: v1beta1.APIVersion, Kind: v1beta1.KindFlinkDeployment, Name: b.in.Name, UID: b.in.UID,
		Controller: &no, BlockOwnerDeletion: &yes,
	}}
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: appsv1.SchemeGroupVersion.String(), Kind: kindDeployment},
		ObjectMeta: metadata,
		Spec: appsv1.DeploymentSpec{
			Replicas: &count,
			Selector: &metav1.LabelSelector{MatchLabels: JobManagerLabels(b.in.Name)},
			Template: p.template(),
		},
	}
}

// metadata is what every object of the start has; the labels are nil for those that Flink labels not.
func (b *builder) metadata(name string, labels map[string]string) metav1.ObjectMeta {
	meta := metav1.ObjectMeta{Namespace: b.in.Namespace, Name: name, Labels: labels}
	if b.in.Operation != "" {
		meta.Annotations = map[string]string{v1beta1.AnnotationOperation: b.in.Operation}
	}
	return meta
}

func (b *builder) jobManagerLabels() map[string]string {
	return overlay(b.mapping(key.JobManagerLabels), JobManagerLabels(b.in.Name))
}

// initJobManager lays the fields of Flink's InitJobManagerDecorator over the template.
//
//	field               | template and option
//	service account     | explicit option, template, option default
//	hostNetwork         | the option always
//	dnsPolicy           | by hostNetwork; else template, ClusterFirst
//	labels, annotations | template, then options, then the selector's labels
//	pull secrets,       | template, then options
//	tolerations         |
//	node selector       | template, then options by key
func (b *builder) initJobManager(p *pod) {
	p.metadata.Labels = overlay(p.metadata.Labels, b.jobManagerLabels())
	p.metadata.Annotations = overlay(p.metadata.Annotations, b.mapping(key.JobManagerAnnotations))
	account := choose(b.has(key.JobManagerServiceAccount), b.text(key.JobManagerServiceAccount),
		firstNonBlank(p.spec.DeprecatedServiceAccount, p.spec.ServiceAccountName))
	p.spec.ServiceAccountName, p.spec.DeprecatedServiceAccount = account, account
	p.spec.HostNetwork = b.flag(key.HostNetworkEnabled)
	p.spec.DNSPolicy = dnsPolicy(p.spec.HostNetwork, p.spec.DNSPolicy)
	for _, name := range b.list(key.ImagePullSecrets) {
		if name = strings.TrimSpace(name); name != "" {
			p.spec.ImagePullSecrets = append(p.spec.ImagePullSecrets, corev1.LocalObjectReference{Name: name})
		}
	}
	p.spec.NodeSelector = overlay(p.spec.NodeSelector, b.mapping(key.JobManagerNodeSelector))
	for _, members := range b.mappings(key.JobManagerTolerations) {
		p.spec.Tolerations = append(p.spec.Tolerations, b.toleration(lowerKeys(members)))
	}
	b.initMainContainer(p)
	b.noteProbe(p)
	p.mount(volumeArtifacts, corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}},
		corev1.VolumeMount{MountPath: b.text(key.UserArtifactsBaseDir)})
}

func asksRest(probe *corev1.Probe) bool {
	return (probe.HTTPGet != nil && probe.HTTPGet.Port.StrVal == PortRest) || (probe.TCPSocket != nil &&
		probe.TCPSocket.Port.StrVal == PortRest)
}

// noteProbe tells of a startup probe that can never succeed: the pod would stay unready for good, and Flink's client
// makes it all the same.
func (b *builder) noteProbe(p *pod) {
	probe := p.main.StartupProbe
	if probe == nil || !asksRest(probe) {
		return
	}
	const remedy = "; give the main container a startupProbe of its own in spec.jobManager.podTemplate, or turn the " +
		"operator's off with "
	switch {
	case p.spec.HostNetwork:
		b.note(key.HostNetworkEnabled.Key + " leaves the pod without the port " + PortRest +
			" that its startup probe uses" +
			remedy +
			key.JMStartupProbeEnabled.Key + ": false")
	case b.port(key.RestBindPort) != b.numberedPort(key.RestPort):
		b.note(key.RestBindPort.Key + " differs from " + key.RestPort.Key + ", which the startup probe uses" + remedy +
			key.JMStartupProbeEnabled.Key + ": false")
	}
}

func (b *builder) note(text string) { b.made.Notes = append(b.made.Notes, text) }

func dnsPolicy(hostNetwork bool, template corev1.DNSPolicy) corev1.DNSPolicy {
	switch {
	case hostNetwork:
		return corev1.DNSClusterFirstWithHostNet
	case strings.TrimSpace(string(template)) != "":
		return template
	default:
		return corev1.DNSClusterFirst
	}
}

func (b *builder) toleration(members map[string]string) corev1.Toleration {
	toleration := corev1.Toleration{
		Key: members[memberKey], Operator: corev1.TolerationOperator(members[memberOperator]),
		Value: members[memberValue], Effect: corev1.TaintEffect(members[memberEffect]),
	}
	if text, there := members[memberTolerates]; there {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			b.fail(
				&SpecError{
					Where: key.JobManagerTolerations.Key, Value: text, Problem: "tolerationSeconds must be a whole number",
				},
			)
		}
		toleration.TolerationSeconds = &seconds
	}
	return toleration
}

func (b *builder) initMainContainer(p *pod) {
	main := &p.main
	main.Image = choose(
		b.has(key.Image), firstNonBlank(b.text(key.Image), defaultImage(b.in.Spec.FlinkVersion)), main.Image,
	)
	main.ImagePullPolicy = corev1.PullPolicy(choose(
		b.has(key.ImagePullPolicy), b.enum(key.ImagePullPolicy), string(main.ImagePullPolicy),
	))
	b.size(&main.Resources)
	if !p.spec.HostNetwork {
		main.Ports = append(main.Ports,
			corev1.ContainerPort{Name: PortRest, ContainerPort: b.numberedPort(key.RestPort)},
			corev1.ContainerPort{Name: PortJobManager, ContainerPort: b.numberedPort(key.JobManagerPort)},
			corev1.ContainerPort{Name: PortBlob, ContainerPort: b.port(key.BlobPort)},
		)
	}
	for _, pair := range b.environment() {
		main.Env = append(main.Env, corev1.EnvVar{Name: pair[0], Value: pair[1]})
	}
	main.Env = append(main.Env, corev1.EnvVar{Name: envPodIP, ValueFrom: &corev1.EnvVarSource{
		FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "status.podIP"},
	}})
	if dir := b.text(key.LogDir); dir != "" {
		main.Env = append(main.Env, corev1.EnvVar{Name: envLogDir, Value: dir})
	}
}

// environment gives the variables that the configuration sets, in the order of Flink's client: that of a HashMap that
// was filled in the order of another one with all keys.
func (b *builder) environment() [][2]string {
	var pairs [][2]string
	for _, option := range syntax.HashOrder(b.conf.Keys(), syntax.DefaultBuckets) {
		if name, is := strings.CutPrefix(option, key.JobManagerEnvPrefix); is && name != "" {
			pairs = append(pairs, [2]string{name, b.conf[option]})
		}
	}
	return inHashOrder(pairs)
}

// defaultImage stands in when neither the spec nor the template names an image. The Java operator's client takes the
// image of its own release whatever the Flink version is; that is right for 1.20 only. TaskManagers get the default of
// the client inside the JobManager's image, which is the same release.
func defaultImage(version v1beta1.FlinkVersion) string {
	if version == v1beta1.FlinkV1_20 {
		return "apache/flink:1.20.4-scala_2.12"
	}
	return "flink:" + version.Dotted()
}

// size sets cpu and memory; other resources of the template stay.
func (b *builder) size(resources *corev1.ResourceRequirements) {
	cpu, memory := b.float(key.JobManagerCPU), b.jobManagerMebibytes()
	cpuFactor, memoryFactor := b.factor(key.JobManagerCPULimitFactor), b.factor(key.JobManagerMemoryLimitFactor)
	limit := math.Min(math.Trunc(float64(memory)*memoryFactor), math.MaxInt32)
	requests, limits := corev1.ResourceList{}, corev1.ResourceList{}
	for name, quantity := range resources.Requests {
		requests[name] = quantity
	}
	for name, quantity := range resources.Limits {
		limits[name] = quantity
	}
	requests[corev1.ResourceCPU] = b.cores(key.JobManagerCPU, cpu)
	limits[corev1.ResourceCPU] = b.cores(key.JobManagerCPULimitFactor, cpu*cpuFactor)
	requests[corev1.ResourceMemory] = mebibytes(memory)
	limits[corev1.ResourceMemory] = mebibytes(int64(limit))
	resources.Requests, resources.Limits = requests, limits
}

func (b *builder) cores(o conf.Option, cores float64) resource.Quantity {
	quantity, err := resource.ParseQuantity(strconv.FormatFloat(cores, 'f', -1, 64))
	if err != nil {
		b.fail(
			&SpecError{
				Where: o.Key, Value: b.text(o), Problem: fmt.Sprintf("gives %v cores, which is not a quantity", cores),
			},
		)
	}
	return quantity
}

func mebibytes(n int64) resource.Quantity {
	return *resource.NewQuantity(n<<20, resource.BinarySI)
}
