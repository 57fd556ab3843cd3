package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/kn-flink/kn-flink/local/controlplane"
	"github.com/kn-flink/kn-flink/local/flink"
	"github.com/kn-flink/kn-flink/local/flink/images"
	"github.com/kn-flink/kn-flink/local/node"
)

func main() {
	dir := flag.String("dir", ".local", "state directory: certificates, data, logs")
	jobs := flag.String("jobs", "", "directory of Java sources of example jobs, put into every Flink image")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := run(ctx, *dir, *jobs)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "kn-flink-local:", err)
		os.Exit(1)
	}
}

// run starts everything, waits for the end, and stops everything.
func run(ctx context.Context, dir, jobs string) (err error) {
	begun := time.Now()
	dir, err = filepath.Abs(dir)
	if err != nil {
		return err
	}
	plane, err := controlplane.Start(ctx, controlplane.Options{Dir: dir})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, plane.Stop()) }()
	local, err := node.Start(ctx, node.Options{ControlPlane: plane, Images: images.Images{Cache: flink.Cache{Jobs: jobs, Progress: show}}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, local.Stop()) }()
	fmt.Printf("ready after %s\n\n  export KUBECONFIG=%s\n  kubectl get pods -A\n\n", time.Since(begun).Round(100*time.Millisecond), plane.Kubeconfig())
	select {
	case <-ctx.Done():
		return nil
	case err := <-plane.Failed():
		return err
	}
}

func show(step string, done, total int64) {
	if total > 0 {
		step = fmt.Sprintf("%s: %d of %d MB", step, done>>20, total>>20)
	}
	fmt.Println(step)
}
