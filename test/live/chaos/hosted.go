package chaos

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/local/flink"
	"github.com/kn-flink/kn-flink/test/chaos"
)

var (
	sessionJobs = resources.GroupVersion().WithResource("flinksessionjobs")
	bluegreens  = resources.GroupVersion().WithResource("flinkbluegreendeployments")
)

// hosts says that a command makes the job of its script a session job.
func hosts(c chaos.Command) bool { return c.Verb == "hosted" }

// pairs says that a command makes a blue/green deployment of its script.
func pairs(c chaos.Command) bool { return c.Verb == "paired" }

// object is one of the resources of a run.
type object struct {
	of         schema.GroupVersionResource
	kind, name string
	spec       map[string]any
}

// objects are a FlinkDeployment, or a session cluster and its job, or a blue/green deployment.
func (r *run) objects() []object {
	if r.paired {
		return []object{{bluegreens, "FlinkBlueGreenDeployment", r.name, r.resource.Pair()}}
	}
	if !r.hosted {
		return []object{{resources, "FlinkDeployment", r.name, r.resource.Spec}}
	}
	cluster, job := r.resource.Objects(r.name)
	_, called := r.subject()
	return []object{{resources, "FlinkDeployment", r.name, cluster}, {sessionJobs, "FlinkSessionJob", called, job}}
}

// subject is the resource whose status tells of the job.
func (r *run) subject() (of schema.GroupVersionResource, name string) {
	switch {
	case r.hosted:
		return sessionJobs, r.name + "-job"
	case r.paired:
		return bluegreens, r.name
	}
	return resources, r.name
}

// serveJars copies the jars of these versions' examples to where every pod of a run has them, and serves them to the functions
// until ctx ends.
func (a *Arena) serveJars(ctx context.Context, versions []string) error {
	jars := filepath.Join(a.Dir, "jars")
	for _, version := range versions {
		release, err := flink.Resolve(version)
		if err != nil {
			return err
		}
		home, err := flink.Cache{Jobs: a.jobs}.Home(ctx, release)
		if err != nil {
			return err
		}
		to := filepath.Join(jars, version)
		if err := os.RemoveAll(to); err != nil {
			return err
		}
		if err := os.CopyFS(to, os.DirFS(filepath.Join(home, "examples", "streaming"))); err != nil {
			return err
		}
	}
	server := httptest.NewServer(http.FileServer(http.Dir(jars)))
	a.jars = server.URL
	context.AfterFunc(ctx, server.Close)
	return nil
}
