//go:build docs

package docs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"

	"github.com/kn-flink/kn-flink/local/platform"
	"github.com/kn-flink/kn-flink/local/testsuite"
)

const root = "../../.."

// local is the one platform of the tests.
var local *platform.Platform

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "kubectl" {
		os.Exit(runKubectl())
	}
	testsuite.Main(m, func(stage *testsuite.Stage) (err error) {
		checkout, err := filepath.Abs(root)
		if err != nil {
			return err
		}
		if err := linkKubectl(filepath.Join(stage.Dir, "bin")); err != nil {
			return err
		}
		begun := time.Now()
		progress := func(step string, _, _ int64) {
			fmt.Fprintf(os.Stderr, "%6.1f s  %s\n", time.Since(begun).Seconds(), step)
		}
		local, err = platform.Start(context.Background(), platform.Options{
			Dir: stage.Dir, Checkout: checkout, Jobs: filepath.Join(checkout, "test/cluster/flink/jobs"), Progress: progress,
		})
		if err == nil {
			stage.Stop(local.Stop)
		}
		return err
	})
}

// runKubectl is the kubectl of the API server's version: this program by another name, before what the machine has.
func runKubectl() int {
	if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
		util.CheckErr(err)
	}
	return 0
}

func linkKubectl(dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.Symlink(self, filepath.Join(dir, "kubectl")); err != nil {
		return err
	}
	return os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}
