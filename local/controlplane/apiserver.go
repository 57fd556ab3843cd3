package controlplane

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
)

// apiServerFlags are kube-apiserver's own flags; what is not here has its default.
func (c *ControlPlane) apiServerFlags() []string {
	etcd := c.etcdURL("etcd")
	flags := []string{
		"--etcd-servers=" + etcd.String(),
		"--bind-address=" + c.options.Network.Server(),
		"--advertise-address=" + c.options.Network.Server(),
		// Endpoints take no loopback address, so nobody announces the API server there; pods get its address by
		// environment.
		"--endpoint-reconciler-type=none",
		"--service-cluster-ip-range=" + ServiceRange,
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction",
		// It taints new nodes for the node lifecycle controller, which does not run: one node cannot be lost alone.
		"--disable-admission-plugins=TaintNodesByCondition",
		"--allow-privileged=true",
		"--anonymous-auth=false",
		"--enable-priority-and-fairness=false",
		"--profiling=false",
		"--client-ca-file=" + c.pki.path("ca.crt"),
		"--tls-cert-file=" + c.pki.path("apiserver.crt"),
		"--tls-private-key-file=" + c.pki.path("apiserver.key"),
		"--service-account-issuer=" + issuer,
		"--service-account-key-file=" + c.pki.path("service-accounts.key"),
		"--service-account-signing-key-file=" + c.pki.path("service-accounts.key"),
		"--kubelet-client-certificate=" + c.pki.path("apiserver-kubelet.crt"),
		"--kubelet-client-key=" + c.pki.path("apiserver-kubelet.key"),
		"--kubelet-certificate-authority=" + c.pki.path("ca.crt"),
		"--kubelet-preferred-address-types=InternalIP",
		"--requestheader-client-ca-file=" + c.pki.path("ca.crt"),
		"--requestheader-allowed-names=front-proxy-client",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-username-headers=X-Remote-User",
		"--proxy-client-cert-file=" + c.pki.path("front-proxy-client.crt"),
		"--proxy-client-key-file=" + c.pki.path("front-proxy-client.key"),
	}
	if c.options.Egress != "" {
		flags = append(flags, "--egress-selector-config-file="+c.egressFile())
	}
	return flags
}

func (c *ControlPlane) egressFile() string { return filepath.Join(c.options.Dir, "egress.yaml") }

// writeEgress says how the API server reaches the cluster's network.
func (c *ControlPlane) writeEgress() error {
	if c.options.Egress == "" {
		return nil
	}
	return os.WriteFile(c.egressFile(), fmt.Appendf(nil, `apiVersion: apiserver.k8s.io/v1beta1
kind: EgressSelectorConfiguration
egressSelections:
- name: cluster
  connection:
    proxyProtocol: HTTPConnect
    transport:
      uds: {udsName: %q}
`, c.options.Egress), 0o644)
}

const (
	// ServiceRange is where the ClusterIPs of Services come from. Nothing answers there: names lead to pods directly.
	ServiceRange = "10.96.0.0/16"
	issuer       = "https://kubernetes.default.svc.cluster.local"
)

func (c *ControlPlane) startAPIServer(ctx context.Context) error {
	running, cancel := context.WithCancel(context.Background())
	run, loopbackClient, err := c.buildAPIServer(running)
	if err != nil {
		cancel()
		return err
	}
	c.run("kube-apiserver", func(ctx context.Context) error {
		context.AfterFunc(ctx, cancel)
		return run(running)
	})
	client, err := kubernetes.NewForConfig(loopbackClient)
	if err != nil {
		return err
	}
	return c.await(ctx, "API server ready", func(ctx context.Context) (bool, error) {
		status := 0
		answer := client.CoreV1().RESTClient().Get().AbsPath("/readyz").Do(ctx).StatusCode(&status)
		return status == http.StatusOK, answer.Error()
	})
}

// buildAPIServer makes the server chain as kube-apiserver's command does, but around our listener. The context is the
// server's own: it lives until the part ends.
func (c *ControlPlane) buildAPIServer(ctx context.Context) (func(context.Context) error, *rest.Config, error) {
	if err := c.writeEgress(); err != nil {
		return nil, nil, err
	}
	run := options.NewServerRunOptions()
	flags := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	for _, set := range run.Flags().FlagSets {
		flags.AddFlagSet(set)
	}
	if err := flags.Parse(c.apiServerFlags()); err != nil {
		return nil, nil, err
	}
	run.SecureServing.Listener = c.listen
	run.SecureServing.BindPort = c.listen.Addr().(*net.TCPAddr).Port
	if err := run.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return nil, nil, err
	}
	completed, err := run.Complete(ctx)
	if err != nil {
		return nil, nil, err
	}
	if errs := completed.Validate(); len(errs) != 0 {
		return nil, nil, utilerrors.NewAggregate(errs)
	}
	config, err := app.NewConfig(completed)
	if err != nil {
		return nil, nil, err
	}
	if generic := config.Aggregator.GenericConfig; c.options.Filter != nil { // the first that a request comes to
		chain := generic.BuildHandlerChainFunc
		generic.BuildHandlerChainFunc = func(inner http.Handler, with *server.Config) http.Handler {
			return c.options.Filter(chain(inner, with))
		}
	}
	complete, err := config.Complete()
	if err != nil {
		return nil, nil, err
	}
	chain, err := app.CreateServerChain(complete)
	if err != nil {
		return nil, nil, err
	}
	// Watches of clients that know nothing of the end are cut off.
	chain.GenericAPIServer.ShutdownTimeout = time.Second
	prepared, err := chain.PrepareRun()
	if err != nil {
		return nil, nil, err
	}
	return prepared.Run, chain.GenericAPIServer.LoopbackClientConfig, nil
}
