package admission

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"go.uber.org/zap"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

const clusterSpec = `"flinkVersion":"v1_20","serviceAccount":"flink","jobManager":{"resource":{"cpu":1,` +
	`"memory":"1g"}},"taskManager":{"resource":{"cpu":1,"memory":"1g"}}`

// object is a manifest of a kind in namespace team, as JSON.
func object(kind, name, spec string) string {
	return fmt.Sprintf(
		`{"apiVersion":"flink.apache.org/v1beta1","kind":%q,"metadata":{"name":%q,"namespace":"team"},"spec":{%s}}`, kind,
		name, spec,
	)
}

// lab is an API server with the given objects. Reads of a resource in broken fail.
func lab(t *testing.T, broken string, objects ...string) Lookup {
	t.Helper()
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		v1beta1.FlinkDeploymentGVR: "FlinkDeploymentList", v1beta1.FlinkSessionJobGVR: "FlinkSessionJobList",
	})
	client.PrependReactor("get", broken, func(clienttesting.Action) (bool, runtime.Object, error) {
		return broken != "", nil, errors.New("the API server is down")
	})
	c := kube.New(client)
	for _, text := range objects {
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON([]byte(text)); err != nil {
			t.Fatal(err)
		}
		resource := v1beta1.FlinkDeploymentGVR
		if u.GetKind() == v1beta1.KindFlinkSessionJob {
			resource = v1beta1.FlinkSessionJobGVR
		}
		if _, err := c.Create(
			t.Context(), kube.Object{Resource: resource, Namespace: "team", Name: u.GetName()}, u,
		); err != nil {
			t.Fatal(err)
		}
	}
	return Lookup{Reader: c, Resolver: resolver}
}

// resolver knows three hosts and cannot tell about others.
func resolver(_ context.Context, host string) ([]netip.Addr, error) {
	switch host {
	case "public.example.org":
		return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
	case "private.example.org":
		return []netip.Addr{netip.MustParseAddr("10.0.0.7")}, nil
	case "absent.example.org":
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return nil, &net.DNSError{Err: "server misbehaving", Name: host, IsTemporary: true}
}

// proxied is a look by a machine whose requests all go through a proxy.
func proxied(l Lookup) Lookup {
	l.Proxied = func(string) bool { return true }
	return l
}

// usual is a jarURI that nothing is wrong with.
const usual = "https://public.example.org/a.jar"

// options are so many entries of a configuration.
func options(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(`"o%d":1`, i)
	}
	return strings.Join(all, ",")
}

func TestJudge(t *testing.T) {
	session := object("FlinkDeployment", "s", clusterSpec)
	application := object(
		"FlinkDeployment", "s", clusterSpec+`,"job":{"jarURI":"local:///a.jar","parallelism":1,"upgradeMode":"stateless"}`,
	)
	job := func(jar string) string {
		return `"deploymentName":"s","job":{"jarURI":"` + jar + `","parallelism":1,"upgradeMode":"stateless"}`
	}
	snapshot := func(kind, name string) string {
		return fmt.Sprintf(`"savepoint":{},"jobReference":{"kind":%q,"name":%q}`, kind, name)
	}
	rows := map[string]struct {
		kind, spec string
		lookup     Lookup
		want       string // empty: nothing is wrong
		reason     string
	}{
		"session cluster": {"FlinkDeployment", clusterSpec, Lookup{}, "", "a valid one"},
		"wrong cluster": {
			"FlinkDeployment", `"flinkVersion":"v1_14"`, Lookup{}, "not supported", "validation decides",
		},
		"cluster that no one can read": {
			"FlinkDeployment", `"flinkVersion":{}`, Lookup{}, "cannot be read", "no pass could read it either",
		},
		"configuration of long keys": {
			"FlinkDeployment", clusterSpec + `,"flinkConfiguration":{"` + strings.Repeat("k", 20_000) + `":{` +
				options(15_000) + `}}`,
			Lookup{}, "flinkConfiguration is too large: more than 262144 bytes of flat keys", "149 KB become 390 MB",
		},
		"job, configuration of many keys": {
			"FlinkSessionJob", job(usual) + `,"flinkConfiguration":{"a":{` + options(5_001) + `}}`,
			lab(t, "", session), "flinkConfiguration is too large: more than 5000 keys", "as a deployment's",
		},
		"blue/green, configuration of many keys": {
			"FlinkBlueGreenDeployment",
			`"template":{"spec":{` + clusterSpec + `,"flinkConfiguration":{` + options(5_001) + `}}}`,
			Lookup{}, "flinkConfiguration is too large: more than 5000 keys", "as a deployment's",
		},
		"job, cluster present": {"FlinkSessionJob", job(usual), lab(t, "", session), "", "a valid one"},
		"job, cluster absent": {
			"FlinkSessionJob", job(usual), lab(t, ""), "", "the cluster may come later",
		},
		"job, cluster unknown": {
			"FlinkSessionJob", job(usual), lab(t, "*", session), "", "a failed look denies nothing",
		},
		"job, cluster unreadable": {
			"FlinkSessionJob", job(usual), lab(t, "", object("FlinkDeployment", "s", `"job":7`)), "",
			"unreadable is unknown",
		},
		"job on an application": {
			"FlinkSessionJob", job(usual), lab(t, "", application), "application cluster",
			"the cluster was looked up",
		},
		"job without cluster name": {
			"FlinkSessionJob", `"job":{"jarURI":"https://public.example.org/a.jar","parallelism":1}`, lab(t, "", session),
			"spec.deploymentName", "nothing to look up",
		},
		"job, nobody looks": {
			"FlinkSessionJob", job("https://private.example.org/a.jar"), Lookup{}, "", "unknown denies nothing",
		},
		"jar behind a proxy": {
			"FlinkSessionJob", job("https://absent.example.org/a.jar"), proxied(lab(t, "")), "", "the proxy resolves the name",
		},
		"address behind a proxy": {
			"FlinkSessionJob", job("https://10.0.0.7/a.jar"), proxied(lab(t, "")), "restricted address", "it needs no lookup",
		},
		"jar on a public host": {
			"FlinkSessionJob", job(usual), lab(t, ""), "", "reachable for everybody",
		},
		"jar on a private host": {
			"FlinkSessionJob", job("https://private.example.org/a.jar"), lab(t, ""), "restricted address",
			"the name was resolved",
		},
		"jar on no host": {
			"FlinkSessionJob", job("https://absent.example.org/a.jar"), lab(t, ""), "cannot be resolved",
			"the name does not exist",
		},
		"jar, DNS is down": {
			"FlinkSessionJob", job("https://other.example.org/a.jar"), lab(t, ""), "", "a failed look denies nothing",
		},
		"job without spec": {"FlinkSessionJob", ``, lab(t, ""), "job spec", "nothing to resolve"},
		"job that no one can read": {
			"FlinkSessionJob", `"job":"x"`, lab(t, ""), "cannot be read", "no pass could read it either",
		},
		"snapshot of a deployment": {
			"FlinkStateSnapshot", snapshot("FlinkDeployment", "s"), lab(t, "", session), "", "its target exists",
		},
		"snapshot of a session job": {
			"FlinkStateSnapshot", snapshot("FlinkSessionJob", "j"),
			lab(t, "", object("FlinkSessionJob", "j", job(usual))), "", "its target exists",
		},
		"snapshot, target absent": {
			"FlinkStateSnapshot", snapshot("FlinkDeployment", "t"), lab(t, "", session), "team/t", "names the missing target",
		},
		"snapshot, other kind": {
			"FlinkStateSnapshot", snapshot("FlinkSessionJob", "s"), lab(t, "", session), "team/s",
			"a FlinkDeployment of that name is none",
		},
		"snapshot, target unknown": {
			"FlinkStateSnapshot", snapshot("FlinkDeployment", "t"), lab(t, "*"), "", "a failed look denies nothing",
		},
		"snapshot of what?": {
			"FlinkStateSnapshot", snapshot("Pod", "t"), lab(t, ""), "jobReference.kind", "no such kind to look up",
		},
		"snapshot without reference": {
			"FlinkStateSnapshot", `"savepoint":{}`, lab(t, ""), "jobReference", "nothing to look up",
		},
		"snapshot that exists": {
			"FlinkStateSnapshot", `"savepoint":{"alreadyExists":true,"path":"s3://b/p"}`, lab(t, "*"), "",
			"nothing more is asked",
		},
		"snapshot no one can read": {
			"FlinkStateSnapshot", `"savepoint":7`, lab(t, ""), "cannot be read", "no pass could read it either",
		},
		"blue/green": {
			"FlinkBlueGreenDeployment",
			`"template":{"spec":{` + clusterSpec +
				`,"job":{"jarURI":"https://public.example.org/a.jar","parallelism":1,"upgradeMode":"stateless"}}}`,
			Lookup{}, "", "a valid one",
		},
		"wrong blue/green": {
			"FlinkBlueGreenDeployment", `"template":{"spec":{"flinkVersion":"v1_14"}}`, Lookup{}, "spec.template.spec",
			"with the paths of its own fields",
		},
		"blue/green no one can read": {
			"FlinkBlueGreenDeployment", `"template":7`, Lookup{}, "cannot be read", "no pass could read it either",
		},
		"unknown kind": {
			"FlinkPancake", ``, Lookup{}, "Unexpected resource: FlinkPancake", "the message names it and what is possible",
		},
	}
	operator := flinkconf.NewOperator(flinkconf.Config{
		"kubernetes.operator.user.artifacts.allowed-schemes": "https;local",
	})
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			request, err := Parse([]byte(review("CREATE", row.kind, object(row.kind, "a", row.spec))))
			if err != nil {
				t.Fatal(err)
			}
			got, err := Judges{Lookup: row.lookup, Operator: operator}.Judge(t.Context(), request)
			if err != nil {
				t.Fatal(err)
			}
			message := validation.Message(got)
			if (row.want == "") != (got == nil) || !strings.Contains(message, row.want) {
				t.Errorf("%q, want %q: %s", message, row.want, row.reason)
			}
		})
	}
}

func TestEachKindIsJudged(t *testing.T) {
	for _, k := range kinds.All {
		if judges[k.Name] == nil {
			t.Errorf("admission cannot judge %s: give it a row in judges", k.Name)
		}
	}
	if len(judges) != len(kinds.All) {
		t.Errorf("%d kinds are judged, want %d", len(judges), len(kinds.All))
	}
}

func TestJudgeOtherGroupsAndVersions(t *testing.T) {
	for _, kind := range []string{`"group":"apps","version":"v1beta1"`, `"group":"flink.apache.org","version":"v2"`} {
		body := strings.Replace(
			review("CREATE", "FlinkDeployment", plain), `"group":"flink.apache.org","version":"v1beta1"`, kind, 1,
		)
		request, err := Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := (Judges{}).Judge(t.Context(), request); got == nil {
			t.Errorf("%s was not refused: its fields mean something else", kind)
		}
	}
}

func TestSnapshotWithoutNamespace(t *testing.T) {
	request := &admissionv1.AdmissionRequest{}
	request.Kind.Group, request.Kind.Version, request.Kind.Kind = v1beta1.Group, v1beta1.Version,
		v1beta1.KindFlinkStateSnapshot
	request.Object.Raw = []byte(`{"spec":{"savepoint":{},"jobReference":{"kind":"FlinkDeployment","name":"s"}}}`)
	if _, err := (Judges{}).Judge(t.Context(), request); err == nil ||
		!strings.Contains(err.Error(), "cannot determine the namespace") {
		t.Errorf("got %v; the target cannot be looked up anywhere", err)
	}
}

// TestAWarningRefusesNothing is of a spec that may be stored and may lose state.
func TestAWarningRefusesNothing(t *testing.T) {
	const (
		field = `"allowNonRestoredState":true`
		old   = `"execution.savepoint.ignore-unclaimed-state":"true"`
		newer = `"execution.state-recovery.ignore-unclaimed-state":"true"`
		no    = `"execution.state-recovery.ignore-unclaimed-state":"false"`
	)
	rows := map[string]struct {
		mode, job, conf, version string
		warns                    bool
	}{
		"last-state":                       {"last-state", field, "", "v1_20", true},
		"savepoint":                        {"savepoint", field, "", "v1_20", false},
		"stateless":                        {"stateless", field, "", "v1_20", false},
		"by Flink's option":                {"last-state", "", old, "v1_20", true},
		"by its name since 1.20":           {"last-state", "", newer, "v1_20", true},
		"which an older one does not know": {"last-state", "", newer, "v1_19", false},
		"which counts more":                {"last-state", "", old + "," + no, "v1_20", false},
		"but not there":                    {"last-state", "", old + "," + no, "v1_19", true},
		"the field counts most":            {"last-state", `"allowNonRestoredState":false`, old, "v1_20", false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			list := func(parts ...string) string {
				return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ",")
			}
			job := `"job":{` + list(`"parallelism":1,"upgradeMode":"`+row.mode+`"`, row.job) + `}`
			own := list(row.conf, `"execution.checkpointing.dir":"s3://c","execution.checkpointing.savepoint-dir":"s3://s"`)
			cluster := strings.Replace(clusterSpec, "v1_20", row.version, 1)
			inCluster := lab(t, "", object("FlinkDeployment", "host", cluster))
			for what, one := range map[string]struct {
				kind, spec string
				lookup     Lookup
			}{
				"an application": {
					"FlinkDeployment", cluster + `,"flinkConfiguration":{` + own + `},` +
						strings.Replace(job, `{`, `{"jarURI":"local:///j.jar",`, 1), Lookup{},
				},
				"a session job": {
					"FlinkSessionJob", `"deploymentName":"host","flinkConfiguration":{` + own + `},` + job, inCluster,
				},
			} {
				r := &admissionv1.AdmissionRequest{
					Operation: admissionv1.Create, Namespace: "team",
					Object: runtime.RawExtension{Raw: []byte(object(one.kind, "demo", one.spec))},
				}
				r.Kind.Group, r.Kind.Version, r.Kind.Kind = v1beta1.Group, v1beta1.Version, one.kind
				judge := Judges{Operator: flinkconf.NewOperator(nil), Lookup: one.lookup}.Judge
				response, err := Handler{Judge: judge, Log: zap.NewNop().Sugar()}.validate(t.Context(), r)
				if err != nil || !response.Allowed {
					t.Fatalf("%s: denied: %+v %v", what, response, err)
				}
				if told := strings.Contains(
					strings.Join(response.Warnings, ""), "spec.job.allowNonRestoredState",
				); told != row.warns {
					t.Errorf("%s: warnings %q, want one: %t", what, response.Warnings, row.warns)
				}
			}
		})
	}
}
