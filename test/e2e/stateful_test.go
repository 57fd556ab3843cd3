//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// directory makes the hostPath of examples/checkpoint-ha.yaml on the node, for a cluster of one node.
const directory = `
apiVersion: v1
kind: Pod
metadata: {generateName: make-directory-}
spec:
  restartPolicy: Never
  containers:
  - name: make
    image: flink:2.2
    command: [/bin/sh, -c, "mkdir -p /node/flink && chown 9999:9999 /node/flink"]
    securityContext: {runAsUser: 0}
    volumeMounts: [{name: node, mountPath: /node}]
  volumes: [{name: node, hostPath: {path: /tmp}}]
`

func makeDirectory(t *testing.T) {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(directory), &u.Object); err != nil {
		t.Fatal(err)
	}
	u, err := kube.in(pods, space).Create(t.Context(), u, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := kube.in(pods, space).Delete(context.Background(), u.GetName(), metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	w := kube.watch(deadline(t, 2*time.Minute), t, pods, space, "metadata.name="+u.GetName(), "")
	w.until("has made the directory", func(o object) (bool, string) {
		if o.Unstructured == nil {
			return false, "no pod"
		}
		return text(o.Unstructured, "status", "phase") == "Succeeded", "phase " + text(o.Unstructured, "status", "phase")
	})
}

// restored says from where a job started: the path of a savepoint or checkpoint, and which of both it is.
func (c *cluster) restored(t *testing.T, name, jobID string) (path string, savepoint bool) {
	t.Helper()
	var answer struct {
		Latest struct {
			Restored *struct {
				Path      string `json:"external_path"`
				Savepoint bool   `json:"is_savepoint"`
			} `json:"restored"`
		} `json:"latest"`
	}
	poll(t, time.Minute, "the checkpoints of "+name+" tell what it started from", func(ctx context.Context) (bool, error) {
		if err := c.flink(ctx, name, "/jobs/"+jobID+"/checkpoints", &answer); err != nil {
			return false, err
		}
		return answer.Latest.Restored != nil, fmt.Errorf("job %s was not restored from anything", jobID)
	})
	return answer.Latest.Restored.Path, answer.Latest.Restored.Savepoint
}

// completedCheckpoint waits until a job has a checkpoint of its own to go back to.
func (c *cluster) completedCheckpoint(t *testing.T, name, jobID string) {
	t.Helper()
	poll(t, time.Minute, name+" completes a checkpoint", func(ctx context.Context) (bool, error) {
		var answer struct {
			Counts struct {
				Completed int `json:"completed"`
			} `json:"counts"`
		}
		err := c.flink(ctx, name, "/jobs/"+jobID+"/checkpoints", &answer)
		return err == nil && answer.Counts.Completed > 0, err
	})
}

// A job with state goes on from where it was, by a savepoint or by its last checkpoint.
func TestStateSurvivesUpgrades(t *testing.T) {
	const name = "stateful"
	makeDirectory(t)
	kube.create(t, example(t, "checkpoint-ha.yaml", name, nil))
	kube.resource(t, name, startLimit).until("is STABLE", state("STABLE"))
	jobID, _ := kube.tasksRunning(t, name, "")
	kube.completedCheckpoint(t, name, jobID)

	aims := map[string]struct{ upgrade, suspension time.Duration }{
		"savepoint": {3 * time.Second, 2 * time.Second}, "last-state": {2500 * time.Millisecond, 3 * time.Second},
	}
	images := []string{"flink:2.2.1", "flink:2.2"} // two names of one image; the example has the second
	for _, mode := range []string{"savepoint", "last-state"} {
		t.Run(mode, func(t *testing.T) {
			var upgrades, beside []time.Duration
			for round := range 4 {
				jobManager := kube.jobManager(t, name, startLimit)
				old := jobManager.until("exists", released)
				jobManagers := kube.watch(deadline(t, startLimit), t, pods, space, "", "app="+name+",component=jobmanager")
				was := jobManagers.until("is there", func(o object) (bool, string) { return o.Unstructured != nil, "there is none" })
				pod := kube.watch(deadline(t, startLimit), t, pods, space, "metadata.name="+was.GetName(), "")
				at := kube.patch(t, name, map[string]any{"job": map[string]any{"upgradeMode": mode}, "image": images[round%2]})
				ends := pod.until("is told to end", func(o object) (bool, string) {
					return o.Unstructured == nil || o.GetDeletionTimestamp() != nil, "it runs"
				})
				ended := pod.until("has ended", func(o object) (bool, string) {
					if o.Unstructured == nil {
						return true, ""
					}
					phase := text(o.Unstructured, "status", "phase")
					return phase == "Succeeded" || phase == "Failed", "it is " + phase
				})
				next := jobManager.until("is a new one, released", replaced(old))
				upgrades = append(upgrades, next.at.Sub(at))
				begins := jobManagers.all("another pod", 1, func(o object) bool { return o.GetName() != was.GetName() })
				_, runs := kube.tasksRunning(t, name, "")
				shown := kube.resource(t, name, startLimit).until("shows the job RUNNING", func(o object) (bool, string) {
					is := text(o.Unstructured, "status", "jobStatus", "state")
					return is == "RUNNING", "it is " + is
				})
				flinks := ended.at.Sub(ends.at) + runs.Sub(begins)
				beside = append(beside, max(runs.Sub(at), shown.at.Sub(at))-flinks)
				kube.wentOn(t, name, mode == "savepoint")
			}
			figures.duration("upgrade by "+mode+": patch to RUNNING, beside the ends and starts of pods and Flink", 5*time.Second, beside...)
			figures.duration("upgrade by "+mode+": patch to new JobManager Deployment", aims[mode].upgrade, upgrades...)

			at := kube.patch(t, name, map[string]any{"job": map[string]any{"state": "suspended"}})
			suspended := kube.resource(t, name, startLimit).until("is SUSPENDED", state("SUSPENDED"))
			figures.duration("suspend by "+mode+": patch to SUSPENDED", aims[mode].suspension, suspended.at.Sub(at))
			kube.patch(t, name, map[string]any{"job": map[string]any{"state": "running"}})
			kube.wentOn(t, name, mode == "savepoint")
		})
	}
}

// wentOn waits until a job runs again, and fails if it did not start from where it was stopped.
func (c *cluster) wentOn(t *testing.T, name string, fromSavepoint bool) {
	t.Helper()
	stable := c.resource(t, name, startLimit).until("is STABLE again", state("STABLE"))
	jobID, _ := c.tasksRunning(t, name, "")
	expect(t, "status.jobStatus.jobId", text(stable.Unstructured, "status", "jobStatus", "jobId"), jobID)
	path, savepoint := c.restored(t, name, jobID)
	if savepoint != fromSavepoint || !strings.Contains(path, "flink-data") {
		t.Errorf("the job started from %q (a savepoint: %v), want from a savepoint: %v", path, savepoint, fromSavepoint)
	}
	c.completedCheckpoint(t, name, jobID)
}
