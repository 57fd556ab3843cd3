package runtime

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kn-flink/kn-flink/local/processes"
)

// serviceAccount is where the API server's admission mounts a pod's token.
const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount"

// build makes the container's directory and its program.
func (r *Runtime) build(c *container) error {
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return err
	}
	var err error
	if c.view, err = layout(c.dir, c.image, c.config.GetMounts()); err != nil {
		return err
	}
	kubeconfig, err := r.kubeconfig(c)
	if err != nil {
		return fmt.Errorf("kubeconfig from the service account's token: %w", err)
	}
	c.program.env = r.environment(c, kubeconfig)
	c.program.argv = c.view.rewriteAll(command(c))
	c.program.dir, err = c.workingDir()
	return err
}

// command is the container's over the image's:
//
//	container's command | container's args | what runs
//	none                | none             | the image's entrypoint and cmd
//	none                | given            | the image's entrypoint, the args
//	given               | none             | the command
//	given               | given            | the command, the args
func command(c *container) []string {
	entrypoint, args := c.config.GetCommand(), c.config.GetArgs()
	if len(entrypoint) == 0 {
		entrypoint = c.image.Entrypoint
		if len(args) == 0 {
			args = c.image.Cmd
		}
	}
	return append(append([]string{}, entrypoint...), args...)
}

// workingDir has to be there: a container's runtime would make it in a file system of its own.
func (c *container) workingDir() (string, error) {
	wanted := c.config.GetWorkingDir()
	if wanted == "" {
		wanted = c.image.WorkingDir
	}
	if wanted == "" {
		return c.dir, nil
	}
	dir := c.view.path(filepath.Clean(wanted))
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", fmt.Errorf("working directory %q is neither in the image nor mounted", wanted)
	}
	return dir, nil
}

// environment is, later ones winning: what processes of this machine need, the image's, the kubelet's, the node's.
// Nothing of this process's own environment but the PATH comes in: a token or a kubeconfig of the user's is none of a
// pod's business.
func (r *Runtime) environment(c *container, kubeconfig string) []string {
	address := c.sandbox.address
	if address == "" {
		address = r.options.Network.Server()
	}
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "TMPDIR=/tmp", "HOSTNAME=" + c.sandbox.config.GetHostname(),
	}
	if kubeconfig != "" {
		env = append(env, "KUBECONFIG="+kubeconfig)
	}
	for _, pair := range c.image.Env {
		if list, ok := strings.CutPrefix(pair, "PATH="); ok {
			pair = "PATH=" + list + ":" + os.Getenv("PATH")
		}
		env = append(env, pair)
	}
	for _, pair := range c.config.GetEnvs() {
		env = append(env, pair.GetKey()+"="+pair.GetValue())
	}
	env = c.view.rewriteAll(append(env, r.options.Env...))
	return append(unique(env),
		"LOCAL_POD_ADDRESS="+address,
		"LOCAL_HOSTS_FILE="+c.sandbox.hosts(),
		processes.Mark(c.dir),
	)
}

// unique keeps the last value of each variable, in the order of first appearance.
func unique(env []string) []string {
	at, out := map[string]int{}, []string{}
	for _, pair := range env {
		key, _, _ := strings.Cut(pair, "=")
		if i, ok := at[key]; ok {
			out[i] = pair
			continue
		}
		at[key] = len(out)
		out = append(out, pair)
	}
	return out
}

// kubeconfig writes one for a pod that has a service account's token: nothing answers at the address that in-cluster
// clients use, and without one a client would find the user's own. Empty if the pod has no token.
func (r *Runtime) kubeconfig(c *container) (string, error) {
	token, err := os.ReadFile(filepath.Join(c.view.path(serviceAccount), "token"))
	if os.IsNotExist(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	const name = "pod"
	namespace := c.sandbox.config.GetMetadata().GetNamespace()
	file := clientcmdapi.NewConfig()
	file.Clusters[name] = &clientcmdapi.Cluster{Server: r.options.APIServer, CertificateAuthorityData: r.options.CA}
	file.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: strings.TrimSpace(string(token))}
	file.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name, Namespace: namespace}
	file.CurrentContext = name
	path := filepath.Join(c.dir, "kubeconfig")
	return path, clientcmd.WriteToFile(*file, path)
}
