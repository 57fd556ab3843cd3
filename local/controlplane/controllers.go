package controlplane

import (
	"context"
	"strings"

	"github.com/spf13/pflag"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app/options"
	"k8s.io/kubernetes/cmd/kube-controller-manager/names"
)

// controllers are those that run. A controller that is not named does not.
var controllers = []string{
	names.ServiceAccountTokenController,
	names.ServiceAccountController,
	names.RootCACertificatePublisherController,
	names.NamespaceController,
	names.GarbageCollectorController,
	names.PodGarbageCollectorController,
	names.DeploymentController,
	names.ReplicaSetController,
	names.StatefulSetController,
	names.JobController,
	names.CronJobController,
	names.TTLAfterFinishedController,
	names.ClusterRoleAggregationController,
	names.ValidatingAdmissionPolicyStatusController,
	names.PersistentVolumeBinderController,
	names.PersistentVolumeClaimProtectionController,
	names.PersistentVolumeProtectionController,
}

func (c *ControlPlane) controllerFlags() []string {
	return []string{
		"--kubeconfig=" + c.pki.path("kube-controller-manager.kubeconfig"),
		"--controllers=" + strings.Join(controllers, ","),
		"--use-service-account-credentials=false",
		"--service-account-private-key-file=" + c.pki.path("service-accounts.key"),
		"--root-ca-file=" + c.pki.path("ca.crt"),
		"--leader-elect=false",
		// By default 20 requests a second: the Deployments of a fleet would keep the functions' own waiting for minutes.
		"--kube-api-qps=1000",
		"--kube-api-burst=1000",
		"--secure-port=0",
		"--profiling=false",
	}
}

func (c *ControlPlane) startControllers(context.Context) error {
	manager, err := options.NewKubeControllerManagerOptions()
	if err != nil {
		return err
	}
	flags := pflag.NewFlagSet("kube-controller-manager", pflag.ContinueOnError)
	known, disabled, aliases := app.KnownControllers(), app.ControllersDisabledByDefault(), app.ControllerAliases()
	for _, set := range manager.Flags(known, disabled, aliases).FlagSets {
		flags.AddFlagSet(set)
	}
	if err := flags.Parse(c.controllerFlags()); err != nil {
		return err
	}
	// Past this time the manager would end the whole process.
	manager.ControllerShutdownTimeout = 2 * patience
	config, err := manager.Config(context.Background(), known, disabled, aliases)
	if err != nil {
		return err
	}
	c.run("kube-controller-manager", func(ctx context.Context) error { return app.Run(ctx, config.Complete()) })
	return nil
}

// awaitDefaults waits for what the controllers give every namespace: until then the API server takes no pod.
func (c *ControlPlane) awaitDefaults(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(c.Config())
	if err != nil {
		return err
	}
	return c.await(ctx, "service account default/default", func(ctx context.Context) (bool, error) {
		_, err := client.CoreV1().ServiceAccounts("default").Get(ctx, "default", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return err == nil, err
	})
}
