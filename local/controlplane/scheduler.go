package controlplane

import (
	"context"

	"github.com/spf13/pflag"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"
	schedulerconfig "k8s.io/kubernetes/cmd/kube-scheduler/app/config"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
	"k8s.io/kubernetes/pkg/scheduler"
)

func (c *ControlPlane) startScheduler(context.Context) error {
	flags := pflag.NewFlagSet("kube-scheduler", pflag.ContinueOnError)
	scheduling := options.NewOptions()
	for _, set := range scheduling.Flags.FlagSets {
		flags.AddFlagSet(set)
	}
	if err := flags.Parse([]string{
		"--kubeconfig=" + c.pki.path("kube-scheduler.kubeconfig"),
		"--leader-elect=false",
		"--secure-port=0",
		"--profiling=false",
	}); err != nil {
		return err
	}
	running, cancel := context.WithCancel(context.Background())
	config, loop, err := app.Setup(running, scheduling)
	if err != nil {
		cancel()
		return err
	}
	c.run("kube-scheduler", func(ctx context.Context) error {
		context.AfterFunc(ctx, cancel)
		return schedule(running, config, loop)
	})
	return nil
}

// schedule is what the scheduler's command does without leader election, but not its HTTP server, and without the
// registration of its configuration, which a process can do only once.
func schedule(ctx context.Context, config *schedulerconfig.CompletedConfig, loop *scheduler.Scheduler) error {
	config.EventBroadcaster.StartRecordingToSink(ctx.Done())
	defer config.EventBroadcaster.Shutdown()
	config.InformerFactory.Start(ctx.Done())
	config.DynInformerFactory.Start(ctx.Done())
	config.InformerFactory.WaitForCacheSync(ctx.Done())
	config.DynInformerFactory.WaitForCacheSync(ctx.Done())
	if err := loop.WaitForHandlersSync(ctx); err != nil {
		return err
	}
	loop.Run(ctx)
	return nil
}
