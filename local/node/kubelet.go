package node

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	noop "go.opentelemetry.io/otel/trace/noop"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/connrotation"
	"k8s.io/kubernetes/cmd/kubelet/app"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	"k8s.io/kubernetes/pkg/kubelet"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/util"
	"k8s.io/kubernetes/pkg/util/oom"
	"k8s.io/kubernetes/pkg/volume"
	"k8s.io/kubernetes/pkg/volume/configmap"
	"k8s.io/kubernetes/pkg/volume/downwardapi"
	"k8s.io/kubernetes/pkg/volume/emptydir"
	"k8s.io/kubernetes/pkg/volume/hostpath"
	"k8s.io/kubernetes/pkg/volume/projected"
	"k8s.io/kubernetes/pkg/volume/secret"
	"k8s.io/kubernetes/pkg/volume/util/hostutil"
	mount "k8s.io/mount-utils"

	"github.com/kn-flink/kn-flink/local/controlplane"
)

// startKubelet does what the kubelet's command does before RunKubelet, with what this node has in place of a machine's.
func (n *Node) startKubelet(context.Context) error {
	identity, err := n.options.ControlPlane.NodeIdentity(Name)
	if err != nil {
		return err
	}
	flags, config, err := n.configuration(identity)
	if err != nil {
		return err
	}
	deps, err := n.dependencies(identity, flags, config)
	if err != nil {
		return err
	}
	// Not the start's context: the kubelet lives on.
	return app.RunKubelet(
		context.Background(), &options.KubeletServer{KubeletFlags: *flags, KubeletConfiguration: *config}, deps,
	)
}

func (n *Node) configuration(
	identity controlplane.NodeIdentity,
) (*options.KubeletFlags, *kubeletconfig.KubeletConfiguration, error) {
	flags := options.NewKubeletFlags()
	flags.HostnameOverride = Name
	flags.RootDirectory = filepath.Join(n.options.Dir, "kubelet")
	flags.CertDirectory = filepath.Join(flags.RootDirectory, "pki")
	flags.CloudProvider = "external" // the addresses are register's
	config, err := options.NewKubeletConfiguration()
	if err != nil {
		return nil, nil, err
	}
	port, err := n.freePort(10250)
	if err != nil {
		return nil, nil, err
	}
	config.RegisterNode = false
	config.Address, config.Port, config.ReadOnlyPort = identity.Address, int32(port), 0
	config.TLSCertFile, config.TLSPrivateKeyFile = identity.CertFile, identity.KeyFile
	config.Authentication.Anonymous.Enabled = false
	config.Authentication.X509.ClientCAFile = identity.CAFile
	config.PodLogsDir = n.Logs()
	config.StaticPodPath = ""
	// No cgroups, no firewall, no DNS, no limits that the machine's owner did not ask for.
	config.CgroupsPerQOS, config.CPUCFSQuota, config.EnforceNodeAllocatable = false, false, nil
	config.MakeIPTablesUtilChains = false
	config.ClusterDNS, config.ResolverConfig = nil, ""
	config.EvictionHard, config.LocalStorageCapacityIsolation = nil, false
	config.ImageGCHighThresholdPercent = 100
	config.VolumeStatsAggPeriod.Duration = -1
	config.EnableControllerAttachDetach = false
	config.SerializeImagePulls = false
	// The limit is the whole process's, and its children's.
	var open syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &open); err != nil {
		return nil, nil, err
	}
	config.MaxOpenFiles = int64(open.Max)
	return flags, config, nil
}

func (n *Node) dependencies(
	identity controlplane.NodeIdentity, flags *options.KubeletFlags, config *kubeletconfig.KubeletConfiguration,
) (*kubelet.Dependencies, error) {
	n.cut = cuttable(identity.Config)
	client, err := kubernetes.NewForConfig(identity.Config)
	if err != nil {
		return nil, err
	}
	auth, reload, err := app.BuildAuth(Name, client, *config)
	if err != nil {
		return nil, err
	}
	reload(context.Background().Done())
	tls, err := app.InitializeTLS(context.Background(), flags, config)
	if err != nil {
		return nil, err
	}
	events := record.NewBroadcaster()
	events.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})
	root, err := n.socketDirectory(flags.RootDirectory)
	if err != nil {
		return nil, err
	}
	flags.RootDirectory = root
	deps := &kubelet.Dependencies{
		Auth:                      auth,
		TLSOptions:                tls,
		KubeClient:                client,
		HeartbeatClient:           client,
		EventClient:               client.CoreV1(),
		RemoteRuntimeService:      n.runtime,
		RemoteImageService:        n.runtime,
		ContainerManager:          newContainers(n.options.Dir),
		OSInterface:               files{},
		Mounter:                   mount.NewFakeMounter(nil),
		Subpather:                 subpaths{},
		HostUtil:                  host{hostutil.NewHostUtil()},
		OOMAdjuster:               oom.NewFakeOOMAdjuster(),
		VolumePlugins:             volumePlugins(),
		PodStartupLatencyTracker:  util.NewPodStartupLatencyTracker(),
		NodeStartupLatencyTracker: util.NewNodeStartupLatencyTracker(),
		TracerProvider:            noop.NewTracerProvider(),
		// The kubelet reads the kernel's log, for which it needs to be root, unless it is given this one; it asks for the
		// machine's size right after, and before it hands the recorder on.
		Recorder: &record.FakeRecorder{},
	}
	deps.CAdvisorInterface = &machine{
		cpus: n.options.CPUs,
		dir:  n.options.Dir,
		asked: func() {
			deps.Recorder = events.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "kubelet", Host: Name})
		},
	}
	return deps, nil
}

// cuttable lets a client's connections be ended and no new ones made: the only way to stop what cannot be told to stop.
func cuttable(config *rest.Config) func() {
	var over atomic.Bool
	dial := (&net.Dialer{Timeout: 10 * time.Second}).DialContext
	connections := connrotation.NewDialer(func(ctx context.Context, network, address string) (net.Conn, error) {
		if over.Load() {
			return nil, errors.New("the node has stopped")
		}
		return dial(ctx, network, address)
	})
	config.Dial = connections.DialContext
	return func() {
		over.Store(true)
		connections.CloseAll()
	}
}

func volumePlugins() []volume.VolumePlugin {
	var all []volume.VolumePlugin
	for _, plugins := range [][]volume.VolumePlugin{
		configmap.ProbeVolumePlugins(), secret.ProbeVolumePlugins(), emptydir.ProbeVolumePlugins(),
		downwardapi.ProbeVolumePlugins(), projected.ProbeVolumePlugins(),
		hostpath.ProbeVolumePlugins(volume.VolumeConfig{}),
	} {
		all = append(all, plugins...)
	}
	return all
}

// freePort is the port if no process has it, else another.
func (n *Node) freePort(port int) (int, error) {
	network := n.options.ControlPlane.Network()
	listener, err := network.Listen(network.Server(), port)
	if err != nil {
		return 0, err
	}
	return listener.Addr().(*net.TCPAddr).Port, listener.Close()
}

// socketDirectory is a path to the kubelet's directory that is short enough for the Unix socket that it opens there: a
// socket's path has at most 107 bytes.
func (n *Node) socketDirectory(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if len(dir) < 60 {
		return dir, nil
	}
	short := filepath.Join(n.options.ControlPlane.Network().Sockets(), "kubelet")
	return short, os.Symlink(dir, short)
}
