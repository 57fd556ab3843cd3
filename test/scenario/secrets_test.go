package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kn-flink/kn-flink/pkg/admission"
	"github.com/kn-flink/kn-flink/pkg/announce"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/extension"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/controllers"
)

// plants are the secrets of a story: another word for each place where a user may put one, and for each edit of it.
type plants struct {
	edits int
	words map[string]bool
}

// planted begins every word.
const planted = "xQ7"

// leak is what is left of a secret that is told.
var leak = regexp.MustCompile(planted + `\w*`)

// at is the secret of a place.
func (p *plants) at(place string) string {
	word := fmt.Sprintf("%s%s%dpW", planted, place, p.edits)
	p.words[word] = true
	return word
}

// said is a text of somebody else's that has all of them, as they are.
func (p *plants) said() string {
	return "cannot log in with " + strings.Join(slices.Sorted(maps.Keys(p.words)), ", ")
}

// discreet begins the same as people may see it.
const discreet = "cannot log in with ******, ******"

// pods is a pod template that has secrets where pods have them.
func (p *plants) pods(of string) map[string]any {
	header := func(name, value string) map[string]any {
		return map[string]any{"httpGet": map[string]any{
			"port": int64(8081), "httpHeaders": []any{map[string]any{"name": name, "value": value}},
		}}
	}
	return map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{"example.com/api-token": p.at(of + "annotation")}},
		"spec": map[string]any{
			"initContainers": []any{map[string]any{
				"name": "fetch", "image": "busybox", "command": []any{"fetch", "--token", p.at(of + "command")},
				"env": []any{map[string]any{"name": "FETCH_TOKEN", "value": p.at(of + "initenv")}},
			}},
			"containers": []any{
				map[string]any{"name": "flink-main-container", "env": []any{
					map[string]any{"name": "DB_PASSWORD", "value": p.at(of + "env")},
					map[string]any{"name": "DB_URL", "value": "postgres://app:" + p.at(of+"envurl") + "@db/x"},
				}},
				map[string]any{
					"name": "proxy", "image": "proxy", "args": []any{"--password=" + p.at(of+"sidecar")},
					"livenessProbe":  header("X-Api-Key", p.at(of+"probe")),
					"readinessProbe": header("Authorization", "Bearer "+p.at(of+"bearer")),
					"lifecycle":      map[string]any{"preStop": header("X-Auth-Token", p.at(of+"stop"))},
				},
			},
		},
	}
}

// cluster plants what is a cluster's.
func (p *plants) cluster(spec map[string]any) {
	maps.Copy(spec["flinkConfiguration"].(map[string]any), map[string]any{
		"s3.secret-key": p.at("option"), "fs": map[string]any{"s3a": map[string]any{"access.key": p.at("nested")}},
		"containerized.master.env.DB_PASSWORD": p.at("master"),
		"containerized.taskmanager.env.DB_URL": "postgres://app:" + p.at("workers") + "@db/x",
		"env.java.opts.all":                    "-Djavax.net.ssl.trustStorePassword=" + p.at("java"),
		"metrics.reporter.dd.apikey":           p.at("reporter"),
	})
	maps.Copy(spec, map[string]any{
		"podTemplate":      p.pods("pod"),
		"logConfiguration": map[string]any{"log4j-console.properties": "appender.http.password = " + p.at("log") + "\n"},
		"ingress": map[string]any{"template": "{{name}}.example.com", "annotations": map[string]any{
			"example.com/auth-token": p.at("ingress"),
			"example.com/snippet":    "set Authorization \"Basic " + p.at("snippet") + "\"",
		}},
	})
	for _, component := range []string{"jobManager", "taskManager"} {
		spec[component].(map[string]any)["podTemplate"] = p.pods(component)
	}
}

// job plants what is a job's.
func (p *plants) job(spec map[string]any) {
	maps.Copy(spec["flinkConfiguration"].(map[string]any), map[string]any{
		"mine.url": "https://me:" + p.at("optionurl") + "@h/x", "mine.password": p.at("joboption"),
		"kubernetes.operator.user.artifacts.http.header": fmt.Sprintf(
			"X-Key:%s,Authorization:Bearer %s", p.at("header"), p.at("bearer"),
		),
	})
	maps.Copy(spec["job"].(map[string]any), map[string]any{
		"args":                 []any{"--db-password", p.at("arg"), "--url=https://me:" + p.at("argurl") + "@h", "--in", "a"},
		"initialSavepointPath": "s3://me:" + p.at("initial") + "@s/first",
		"jarURI":               "https://me:" + p.at("jar") + "@jars.example.com/mine.jar?sig=" + p.at("signature"),
	})
}

// quiet is a harness whose outputs are heard, with settings that hold secrets.
func quiet(t *testing.T, p *plants) *harness {
	t.Helper()
	base := flinkconf.Config{
		"fs.azure.account.key.a.blob.core.windows.net": p.at("settings"),
		"their.url": "https://me:" + p.at("settingsurl") + "@h/x",
		"kubernetes.operator.exception.stacktrace.enabled": "true",
	}
	h := &harness{t: t, heard: newOutputs(t)}
	install(h)
	h.measured = h.heard.metrics(t, h.w.Clock.Now)
	h.installed.Operator = flinkconf.NewOperator(base)
	h.w.Storage.Put(job.Snapshot{Path: "s3://me:" + p.at("initial") + "@s/first", Savepoint: true})
	h.restart()
	return h
}

// expectNoSecret holds that no output has any, and that each of the named ones has something.
func (h *harness) expectNoSecret(outputs ...string) {
	h.t.Helper()
	for _, output := range []string{"logs", "events", "status", "CloudEvents", "metrics", "answers"} {
		leaks := slices.Compact(slices.Sorted(slices.Values(leak.FindAllString(h.heard.told(output), -1))))
		if len(leaks) > 0 {
			h.t.Errorf("secrets are in %s: %s", output, leaks)
		}
	}
	for _, output := range outputs {
		if h.heard.told(output) == "" {
			h.t.Errorf("nothing is in %s", output)
		}
	}
}

// untilSays waits for a condition that says this.
func (h *harness) untilSays(condition, text string) {
	h.t.Helper()
	h.untilSaysOf(demo, condition, text)
}

func (h *harness) untilSaysOf(name, condition, text string) {
	h.t.Helper()
	h.until(condition+" says "+text, func() bool { return strings.Contains(h.condition(name, condition), text) })
}

// clusterFails gives the cluster an image that fails, until its condition says what is left of that. A session cluster
// gets a good one again before its job goes: nobody knows the secrets of a session job that is gone.
func (h *harness) clusterFails(image string, script controllers.Script) {
	h.t.Helper()
	h.image(image, script)
	if !h.onSession {
		h.edit(demo, field("image", image))
		h.untilSays("ClusterAvailable", "cannot log in")
		return
	}
	cluster := clusterMark + demo
	h.edit(cluster, field("image", image))
	h.untilSaysOf(cluster, "ClusterAvailable", "cannot log in")
	h.edit(cluster, field("image", "flink:1.20"))
	h.untilSaysOf(cluster, "ClusterAvailable", "can be reached")
}

// maxWait bounds a question to an extension.
const maxWait = 10 * time.Second

// refusing is an extension that refuses all, and says all secrets that it was told.
func refusing() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		_ = json.NewDecoder(r.Body).Decode(&review)
		_, own, _ := r.BasicAuth()
		told := &plants{words: map[string]bool{}}
		for _, word := range leak.FindAllString(own+" "+string(review.Request.Object.Raw), -1) {
			told.words[word] = true
		}
		review.Response = &admissionv1.AdmissionResponse{
			UID: review.Request.UID, Result: &metav1.Status{Message: told.said()},
		}
		review.Request = nil
		_ = json.NewEncoder(w).Encode(review)
	})
}

// review is the body of an AdmissionReview about a resource that is made.
func review(t *testing.T, kind string, spec map[string]any) []byte {
	t.Helper()
	object, err := json.Marshal(map[string]any{
		"apiVersion": v1beta1.APIVersion, "kind": kind, "spec": spec,
		"metadata": map[string]any{"name": demo, "namespace": namespace},
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
		Request: &admissionv1.AdmissionRequest{
			UID: "1", Name: demo, Namespace: namespace, Operation: admissionv1.Create,
			Object: runtime.RawExtension{Raw: object},
			Kind:   metav1.GroupVersionKind{Group: v1beta1.Group, Version: v1beta1.Version, Kind: kind},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// What the functions tell holds no secret: neither of the job, nor of its cluster, nor of the settings, nor what looks
// like one. It holds the rest of each text.
func TestNothingTellsASecret(t *testing.T) {
	const bad = "flink:bad"
	stories := map[string]struct {
		happens func(h *harness, p *plants)
		told    map[string]string // what is told, by output
		cluster bool              // Kubernetes says it of the pods, and nobody else
	}{
		"it is changed": {func(h *harness, p *plants) {
			p.edits++
			h.edit(demo, p.job)
			if !h.onSession {
				h.edit(demo, p.cluster)
			}
			h.untilStable(demo)
		}, map[string]string{"CloudEvents": " : ****** -", "events": " : ****** -"}, false},
		"its job fails": {func(h *harness, p *plants) {
			h.flink(demo, func(j *job.Job) { j.Fail("java.lang.IllegalStateException", p.said(), h.w.Clock.Now()) })
			h.until("it has failed", h.settled(demo, "FAILED"))
		}, map[string]string{"CloudEvents": discreet, "events": discreet, "status": discreet}, false},
		"its savepoint fails": {func(h *harness, p *plants) {
			h.w.Flink.ScriptJob(demo, job.Script{SnapshotFails: p.said()})
			h.edit(demo, parallelism(4))
			h.untilSays("Reconciling", "cannot log in")
		}, map[string]string{"CloudEvents": discreet, "events": discreet, "status": discreet}, false},
		"a snapshot of it fails": {func(h *harness, p *plants) {
			h.w.Flink.ScriptJob(demo, job.Script{SnapshotFails: p.said()})
			h.take("mine", of(demo, map[string]any{
				"savepoint": map[string]any{"path": "s3://me:" + p.at("path") + "@s/x"}, "backoffLimit": int64(1),
			}))
			h.untilSnapshot("mine", v1beta1.SnapshotFailed)
			h.drops("mine")
		}, map[string]string{"events": discreet, "status": discreet}, false},
		"its validator refuses a change": {func(h *harness, p *plants) {
			rules := httptest.NewServer(refusing())
			h.installed.Extensions.Validators = []flinkconf.Extension{{
				Name: "rules", URL: strings.Replace(rules.URL, "//", "//me:"+p.at("validator")+"@", 1),
				Kinds: []string{kindName(h.kindOf(demo))}, Timeout: maxWait,
			}}
			h.ask = extension.Asker{}.Validate
			h.restart()
			h.edit(demo, parallelism(4))
			h.untilSays("SpecAccepted", "cannot log in")
			rules.Close()
		}, map[string]string{"events": discreet, "status": discreet}, false},
		"its jar cannot be fetched": {func(h *harness, p *plants) {
			p.edits++
			uri := "https://me:" + p.at("jar") + "@jars.example.com/other.jar"
			h.jars.refuse(uri, http.StatusNotFound)
			h.edit(demo, jobField("jarURI", uri))
			if !h.onSession {
				h.untilStable(demo)
			} else {
				h.untilSays("Ready", "put the jar there")
			}
		}, map[string]string{"events": "https://me:******@jars.example.com/other.jar"}, false},
		"its JobManager crashes": {func(h *harness, p *plants) {
			h.heard.says = "java.lang.IllegalStateException: " + p.said() + "\n\tat a.B.main(B.java:1)\n"
			h.clusterFails(bad, controllers.Script{Waiting: "CrashLoopBackOff", Message: p.said(), Terminated: p.said()})
		}, map[string]string{"events": discreet, "status": discreet}, false},
		"its image cannot be pulled": {func(h *harness, p *plants) {
			h.clusterFails(bad, controllers.Script{Waiting: "ImagePullBackOff", Message: p.said()})
		}, map[string]string{"status": discreet}, true},
		"its volume cannot be mounted": {func(h *harness, p *plants) {
			h.clusterFails(bad, controllers.Script{FailedMount: true, Message: p.said()})
		}, map[string]string{"status": discreet}, true},
		"its pods are refused": {func(h *harness, p *plants) {
			h.clusterFails(bad, controllers.Script{Quota: true, Message: p.said()})
		}, map[string]string{"status": discreet}, true},
	}
	for name, story := range stories {
		for host, onSession := range map[string]bool{"an application": false, "a session job": true} {
			if onSession && story.cluster {
				continue
			}
			t.Run(name+", "+host, func(t *testing.T) {
				t.Parallel()
				p := &plants{words: map[string]bool{}}
				h := quiet(t, p)
				h.onSession = onSession
				spec := application(stateful("savepoint"))
				p.job(spec)
				p.cluster(spec)
				h.apply(demo, spec)
				h.untilStable(demo)
				story.happens(h, p)
				h.remove(demo)
				h.untilGone(demo)
				h.expectNoSecret("logs", "events", "status", "CloudEvents", "metrics")
				for output, says := range story.told {
					if !strings.Contains(h.heard.told(output), says) {
						t.Errorf("%s do not say %q: %s", output, says, h.heard.told(output))
					}
				}
			})
		}
	}
}

// The kind is not run; what is told of it is told.
func TestABlueGreenDeploymentTellsNoSecret(t *testing.T) {
	p := &plants{words: map[string]bool{}}
	h := quiet(t, p)
	spec := application(stateful("savepoint"))
	p.job(spec)
	p.cluster(spec)
	h.applyTo(kubesim.FlinkBlueGreenDeployments, v1beta1.KindFlinkBlueGreenDeployment, demo, map[string]any{
		"template": map[string]any{"spec": spec}, "configuration": map[string]any{"example.token": p.at("bluegreen")},
	})
	h.flush()
	h.expectNoSecret("logs", "events", "status", "metrics")
}

// Settings are told as changed, and as wrong.
func TestSettingsTellNoSecret(t *testing.T) {
	p := &plants{words: map[string]bool{}}
	h := quiet(t, p)
	news := &announce.Announcer{
		API: h.kube("reconcile"), Namespace: system, Component: "reconcile", Now: h.w.Clock.Now, Log: h.log(),
	}
	files := func() map[string]string {
		p.edits++
		return map[string]string{
			"config.yaml": "s3.secret-key: " + p.at("option") + "\nmine.url: https://me:" + p.at("url") + "@h/x\n" +
				"kubernetes.operator.plugins.validators.rules.url: https://me:" + p.at("validator") + "@h/x?token=" + p.at("query"),
			"log4j-console.properties": "appender.http.password = " + p.at("log"),
			"logback-console.xml":      "<password>" + p.at("logback") + "</password>",
		}
	}
	for version := range 2 {
		news.Tell(t.Context(), settings.Now{Settings: settings.Settings{Files: files()}, Version: version})
	}
	now := settings.Now{
		Problem: "read config.yaml: password: " + p.at("problem") + " at https://me:" + p.at("problemurl") + "@h",
	}
	news.Tell(t.Context(), now)
	h.expectNoSecret("events")
	for _, reason := range []string{announce.Changed, announce.Rejected} {
		if !strings.Contains(h.heard.told("events"), reason) {
			t.Errorf("no event %s", reason)
		}
	}
}

// Whoever wrote a resource is answered, and what is answered is logged.
func TestReviewsTellNoSecret(t *testing.T) {
	bad := option("kubernetes.operator.deployment.rollback.enabled", "perhaps")
	for _, kind := range kinds.Names() {
		for what, path := range map[string]string{"its rules": admission.ValidatePath, "validators": admission.ValidatorsPath,
			"mutators": admission.MutatorsPath, "defaults": admission.MutatePath} {
			t.Run(kind+", "+what, func(t *testing.T) {
				p := &plants{words: map[string]bool{}}
				h := quiet(t, p)
				spec := application(bad)
				p.job(spec)
				p.cluster(spec)
				switch kind {
				case v1beta1.KindFlinkSessionJob:
					spec = map[string]any{"job": spec["job"], "flinkConfiguration": spec["flinkConfiguration"]}
				case v1beta1.KindFlinkStateSnapshot:
					spec = map[string]any{"checkpoint": map[string]any{}, "savepoint": map[string]any{
						"path": "s3://me:" + p.at("path") + "@s/x", "alreadyExists": true,
					}}
				case v1beta1.KindFlinkBlueGreenDeployment:
					spec = map[string]any{"template": map[string]any{"spec": spec}}
				}
				rules := httptest.NewServer(refusing())
				t.Cleanup(rules.Close)
				asked := []flinkconf.Extension{{Name: "rules", URL: rules.URL, Kinds: []string{kind}, Timeout: maxWait}}
				handler := admission.Handler{
					Judge: admission.Judges{
						Lookup: admission.Lookup{Reader: h.kube("admit")}, Operator: h.installed.Operator,
					}.Judge,
					Extensions: flinkconf.Extensions{Validators: asked, Mutators: asked}, Log: h.log(), Metrics: h.measured,
				}
				answer := httptest.NewRecorder()
				handler.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, path, bytes.NewReader(review(t, kind, spec))))
				h.heard.hear("answers", answer.Body.String())
				h.expectNoSecret("answers")
				if !strings.Contains(answer.Body.String(), `"allowed":false`) && path != admission.MutatePath {
					t.Errorf("answered %s", answer.Body)
				}
			})
		}
	}
}
