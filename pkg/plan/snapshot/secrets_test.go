package snapshot

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// secrets are of the operator, of the job's arguments and environment, of a session job, and of the text itself.
var secrets = []string{"kQx7Zw", "hunter2", "envpass", "sessionpass", "swordfish", "urlpass"}

// withSecrets gives the operator, the cluster and the job secrets that nothing in a text gives away by itself.
func (w *fixture) withSecrets(session bool) *fixture {
	w.s.Operator = flinkconf.NewOperator(flinkconf.Config{"s3.secret-key": "kQx7Zw"})
	w.runJob()
	w.job(func(d *v1beta1.FlinkDeployment) {
		d.Spec.Job = &v1beta1.JobSpec{JarURI: "local:///j.jar", Args: []string{"--db-password", "hunter2"}}
		d.Spec.PodTemplate = &v1beta1.PodTemplate{}
		d.Spec.PodTemplate.Spec.Containers = []corev1.Container{{
			Name: "flink-main-container", Env: []corev1.EnvVar{{Name: "DB_PASSWORD", Value: "envpass"}},
		}}
	})
	if !session {
		return w
	}
	d, _ := w.s.Deployment.Get()
	j := &v1beta1.FlinkSessionJob{Spec: v1beta1.FlinkSessionJobSpec{
		DeploymentName: "demo", Job: &v1beta1.JobSpec{JarURI: "https://x/j.jar", Args: []string{"--token", "sessionpass"}},
	}}
	j.Namespace, j.Name, j.UID = "default", "job", "uid-of-job"
	j.Status.JobStatus, j.Status.ReconciliationStatus = d.Status.JobStatus, d.Status.ReconciliationStatus
	w.s.SessionJob = plan.Present(j)
	w.s.Resource.Spec.JobReference = &v1beta1.JobReference{Kind: v1beta1.JobKindFlinkSessionJob, Name: "job"}
	return w
}

// told is everything that people can read of what the world has come to.
func (w *fixture) told() string {
	w.t.Helper()
	status, err := json.Marshal(w.status())
	if err != nil {
		w.t.Fatal(err)
	}
	return fmt.Sprintf("%s %+v %s", status, w.events, strings.Join(w.log, "\n"))
}

// refused shows that Flink refused an action of the next round.
func (w *fixture) refused(action plan.Action, why string) {
	w.t.Helper()
	w.look()
	p, shown := MakeFailed(w.s, w.status(), action, why)
	if !shown {
		w.t.Fatal("the refusal is not shown")
	}
	w.carry(p)
}

func TestSecretsAreNotTold(t *testing.T) {
	const said = "cannot log in with kQx7Zw, hunter2, envpass at https://a:urlpass@h, password=swordfish, or sessionpass"
	const heard = "cannot log in with ******, ******, ****** at https://a:******@h, password=******, or "
	dispose := plan.DisposeSavepoint{Path: "https://a:urlpass@h/1"}
	rows := map[string]struct {
		comes func(w *fixture)
		says  string
	}{
		"a failed request":   {func(w *fixture) { w.run().answer(failedWith(said)).run() }, heard},
		"a refused request":  {func(w *fixture) { w.run().refused(plan.TriggerSavepoint{}, said) }, heard},
		"a refused disposal": {func(w *fixture) { w.dispose("s3://s/1").refused(dispose, said); w.run() }, heard},
		"a disposal that is given up": {func(w *fixture) {
			w.dispose("https://a:urlpass@h/1").later(10*time.Minute).refused(dispose, said)
			w.s.Resource.Status.Path = nil // it is for programs
		}, "at https://a:******@h/1 was not disposed of, its files remain: " + heard},
		"a disposal that is made": {func(w *fixture) {
			w.dispose("https://a:urlpass@h/1").run()
			w.s.Resource.Status.Path = nil
		}, "dispose of savepoint https://a:******@h/1"},
	}
	for name, row := range rows {
		for kind, session := range map[string]bool{"application": false, "session job": true} {
			t.Run(name+", "+kind, func(t *testing.T) {
				w := newWorld(t, savepoint()).withSecrets(session)
				row.comes(w)
				told := w.told()
				for _, secret := range secrets {
					if strings.Contains(told, secret) && (session || secret != "sessionpass") {
						t.Errorf("%s is told: %s", secret, told)
					}
				}
				if !strings.Contains(told, row.says) {
					t.Errorf("%q is not told: %s", row.says, told)
				}
				events := len(w.events)
				if !w.gone && len(w.run().events) > events {
					t.Errorf("it is told again: %+v", w.events[events:])
				}
			})
		}
	}
}

// dispose takes a savepoint to a place and deletes its resource.
func (w *fixture) dispose(path string) *fixture {
	w.t.Helper()
	w.run().answer(completedAt(path)).run()
	return w.delete()
}
