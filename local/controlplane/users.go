package controlplane

import (
	"context"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// contextName is the name of cluster, user and context in kubeconfigs.
const contextName = "kn-flink"

// tokenLife is how long a service account's token works: longer than any platform runs.
const tokenLife = 365 * 24 * time.Hour

// config authenticates with a certificate of the PKI.
func (c *ControlPlane) config(name string) *rest.Config {
	return &rest.Config{
		Host:  c.URL(),
		QPS:   -1,
		Burst: -1,
		TLSClientConfig: rest.TLSClientConfig{
			CAFile:   c.pki.path("ca.crt"),
			CertFile: c.pki.path(name + ".crt"),
			KeyFile:  c.pki.path(name + ".key"),
		},
	}
}

// ServiceAccountConfig is a client configuration with the rights of that service account and no others. The account
// must exist. The token dies with the account.
func (c *ControlPlane) ServiceAccountConfig(ctx context.Context, namespace, name string) (*rest.Config, error) {
	client, err := kubernetes.NewForConfig(c.Config())
	if err != nil {
		return nil, err
	}
	seconds := int64(tokenLife / time.Second)
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}
	answer, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, name, request, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("token for service account %s/%s: %w", namespace, name, err)
	}
	return &rest.Config{
		Host:            c.URL(),
		QPS:             -1,
		Burst:           -1,
		BearerToken:     answer.Status.Token,
		TLSClientConfig: rest.TLSClientConfig{CAFile: c.pki.path("ca.crt")},
	}, nil
}

// WriteKubeconfig writes a client configuration of this control plane as a file that needs no other file. The file is
// as secret as what it holds: only its owner can read it.
func (c *ControlPlane) WriteKubeconfig(path string, config *rest.Config) error {
	config = rest.CopyConfig(config)
	if err := rest.LoadTLSFiles(config); err != nil {
		return err
	}
	file := clientcmdapi.NewConfig()
	file.Clusters[contextName] = &clientcmdapi.Cluster{Server: config.Host, CertificateAuthorityData: config.CAData}
	file.AuthInfos[contextName] = &clientcmdapi.AuthInfo{
		Token:                 config.BearerToken,
		ClientCertificateData: config.CertData,
		ClientKeyData:         config.KeyData,
	}
	file.Contexts[contextName] = &clientcmdapi.Context{Cluster: contextName, AuthInfo: contextName, Namespace: "default"}
	file.CurrentContext = contextName
	return clientcmd.WriteToFile(*file, path)
}

func (c *ControlPlane) writeKubeconfigs() error {
	for path, name := range map[string]string{
		c.Kubeconfig(): "admin",
		c.pki.path("kube-controller-manager.kubeconfig"): "kube-controller-manager",
		c.pki.path("kube-scheduler.kubeconfig"):          "kube-scheduler",
	} {
		if err := c.WriteKubeconfig(path, c.config(name)); err != nil {
			return err
		}
	}
	return nil
}

// NodeIdentity is what a kubelet needs to be a node of this control plane.
type NodeIdentity struct {
	// Config authenticates as system:node:NAME.
	Config *rest.Config
	// CAFile, CertFile and KeyFile are PEM files: whom to trust, and what to serve with at Address.
	CAFile, CertFile, KeyFile string
	// Address is the node's, where the API server looks for the kubelet.
	Address string
}

// NodeIdentity signs a certificate for a node of that name.
func (c *ControlPlane) NodeIdentity(name string) (NodeIdentity, error) {
	address, file := c.options.Network.Server(), "node-"+name
	err := c.pki.sign(leaf{
		name: file, user: "system:node:" + name, group: "system:nodes", server: true,
		hosts: []string{name}, addresses: []string{address},
	})
	if err != nil {
		return NodeIdentity{}, fmt.Errorf("certificate of node %q: %w", name, err)
	}
	config := c.config(file)
	return NodeIdentity{
		Config: config, CAFile: config.CAFile, CertFile: config.CertFile, KeyFile: config.KeyFile, Address: address,
	}, nil
}
