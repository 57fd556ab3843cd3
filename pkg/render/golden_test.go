package render

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

var update = flag.Bool("update", false, "write testdata/golden/*.objects.yaml anew")

// turns are the versions around which the objects of a standalone cluster differ.
var turns = []v1beta1.FlinkVersion{
	v1beta1.FlinkV1_15, v1beta1.FlinkV1_16, v1beta1.FlinkV1_20, v1beta1.FlinkV2_0, v1beta1.FlinkV2_2,
}

// TestGolden pins every object of shapes that the recorded cases do not have, and of some shapes in several Flink
// versions.
func TestGolden(t *testing.T) {
	supported := slices.DeleteFunc(v1beta1.FlinkVersions(), func(v v1beta1.FlinkVersion) bool { return !v.Supported() })
	for name, versions := range map[string][]v1beta1.FlinkVersion{
		"demo": supported, "standalone": turns, "standalone-session": turns,
	} {
		for _, version := range versions {
			t.Run(name+"-"+string(version), func(t *testing.T) {
				input := goldenInput(t, name, func(spec *v1beta1.FlinkDeploymentSpec) {
					spec.FlinkVersion, spec.Image = version, "flink:"+version.Dotted()
				})
				compareWithGolden(t, name+"-"+string(version), input)
			})
		}
	}
	for _, name := range []string{
		"arguments", "mounts", "session", "standalone-mounts", "standalone-plain", "standalone-templates", "templates",
	} {
		t.Run(name, func(t *testing.T) {
			compareWithGolden(t, name, goldenInput(t, name, nil))
		})
	}
}

// goldenInput composes the configuration of a FlinkDeployment in testdata/golden.
func goldenInput(t *testing.T, name string, change func(*v1beta1.FlinkDeploymentSpec)) Input {
	t.Helper()
	cr := readResource(t, readFile(t, "testdata/golden", name+".yaml"))
	if change != nil {
		change(&cr.Spec)
	}
	deployed, err := flinkconf.Deploy(flinkconf.DeployInput{
		Operator: operatorDefaults, Namespace: cr.Namespace, Name: cr.Name, UID: string(cr.UID), Generation: cr.Generation,
		Spec:  &cr.Spec,
		Start: flinkconf.Start{JobID: "5f1c9c0e6b2a4d7f8e3b1a2c3d4e5f60", JobResultStoreDir: "0b9d7c0e"},
	})
	if err != nil {
		t.Fatal(err)
	}
	input := Input{
		Namespace: cr.Namespace, Name: cr.Name, UID: cr.UID, Spec: cr.Spec, Config: deployed, Operation: "op-1",
		LogFiles: map[string]string{
			"log4j-console.properties": "# the operator's default\n", "other.properties": "not for pods",
		},
	}
	if strings.HasSuffix(name, "mounts") {
		input.HadoopFiles = map[string]string{"core-site.xml": "<configuration/>\n", "other.xml": "not for pods"}
		input.KerberosFiles = map[string][]byte{
			"/etc/keytabs/flink.keytab": {0x05, 0x02}, "/etc/keytabs/krb5.conf": []byte("[libdefaults]\n"),
		}
	}
	return input
}

func compareWithGolden(t *testing.T, name string, input Input) {
	t.Helper()
	cluster, err := MakeCluster(input)
	if err != nil {
		t.Fatal(err)
	}
	got := printCluster(t, cluster.OwnedBy("00000000-0000-0000-0000-0000000000aa"))
	file := filepath.Join("testdata/golden", name+".objects.yaml")
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(readFile(t, file)), string(got)); diff != "" {
		t.Errorf("%s is out of date: run the test with -update and read the difference (-want +got):\n%s", file, diff)
	}
}

// printCluster prints all objects in the order of creation.
func printCluster(t *testing.T, c Cluster) []byte {
	t.Helper()
	objects := []any{c.JobManager}
	for _, o := range c.Services {
		objects = append(objects, o)
	}
	for _, o := range c.ConfigMaps {
		objects = append(objects, o)
	}
	for _, o := range c.Secrets {
		objects = append(objects, o)
	}
	for _, o := range c.Deployments()[1:] {
		objects = append(objects, o)
	}
	var text bytes.Buffer
	for _, object := range objects {
		one, err := yaml.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString(
			"---\n" + strings.NewReplacer("status: {}\n", "", "status:\n  loadBalancer: {}\n", "").Replace(string(one)),
		)
	}
	for _, note := range c.Notes {
		text.WriteString("# note: " + note + "\n")
	}
	return text.Bytes()
}
