package render

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// Names that the pods of every Flink version rely on (Flink: org.apache.flink.kubernetes.utils.Constants).
const (
	// PortRest is the container port and Service port of the REST endpoint.
	PortRest = "rest"
	// PortJobManager is the port of the JobManager's RPC endpoint.
	PortJobManager = "jobmanager-rpc"
	// PortBlob is the port of the blob server.
	PortBlob = "blobserver"

	envPodIP = "_POD_IP_ADDRESS"

	volumeArtifacts = "user-artifacts-volume"

	defaultRestPort int32 = flinkconf.RestPort
)

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
	b.addToPod(p, b.jobManager)
	account := choose(b.has(key.JobManagerServiceAccount), b.text(key.JobManagerServiceAccount),
		firstNonBlank(p.spec.DeprecatedServiceAccount, p.spec.ServiceAccountName))
	p.spec.ServiceAccountName, p.spec.DeprecatedServiceAccount = account, account
	p.spec.HostNetwork = b.flag(key.HostNetworkEnabled)
	p.spec.DNSPolicy = dnsPolicy(p.spec.HostNetwork, p.spec.DNSPolicy)
	b.initJobManagerContainer(p)
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

func (b *builder) initJobManagerContainer(p *pod) {
	main := &p.main
	main.Image = choose(b.has(key.Image), b.image(), main.Image)
	main.ImagePullPolicy = corev1.PullPolicy(choose(
		b.has(key.ImagePullPolicy), b.enum(key.ImagePullPolicy), string(main.ImagePullPolicy),
	))
	b.size(main, b.jobManager, b.jobManagerMebibytes())
	if !p.spec.HostNetwork {
		main.Ports = append(main.Ports,
			corev1.ContainerPort{Name: PortRest, ContainerPort: b.numberedPort(key.RestPort)},
			corev1.ContainerPort{Name: PortJobManager, ContainerPort: b.numberedPort(key.JobManagerPort)},
			corev1.ContainerPort{Name: PortBlob, ContainerPort: b.port(key.BlobPort)},
		)
	}
	b.addEnvironment(main, b.jobManager)
	main.Env = append(main.Env, corev1.EnvVar{Name: envPodIP, ValueFrom: &corev1.EnvVarSource{
		FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "status.podIP"},
	}})
	b.addLogDir(main)
}
