package doctor

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/install"
)

// The inventory and config/knative have the same objects of the kinds that are read.
func TestTheInventoryIsThatOfTheManifests(t *testing.T) {
	sources := map[string]Source{
		"ServiceAccount": Accounts, "Role": Roles, "RoleBinding": RoleBindings, "ClusterRole": ClusterRoles,
		"ClusterRoleBinding": ClusterRoleBindings, "ValidatingAdmissionPolicy": Policies,
		"ValidatingAdmissionPolicyBinding": Bindings, "Broker": Brokers, "Trigger": Triggers, "ApiServerSource": Sources,
		"PingSource": Clocks, "CronJob": Renewals, "ValidatingWebhookConfiguration": Webhooks, "Service": Functions,
	}
	files, err := filepath.Glob("../../config/knative/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no manifests: %v", err)
	}
	known := map[string]bool{}
	for _, p := range inventory {
		known[string(p.source)+"/"+p.name] = true
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		objects, err := install.Read(string(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range objects {
			name := string(sources[u.GetKind()]) + "/" + u.GetName()
			elsewhere := u.GetNamespace() != "" && u.GetNamespace() != "flink-system"
			user := strings.HasPrefix(u.GetName(), "flink-user") || strings.HasPrefix(u.GetName(), "flink-view") ||
				strings.HasPrefix(u.GetName(), "flink-rest")
			if sources[u.GetKind()] == "" || elsewhere || user {
				continue
			}
			if !known[name] {
				t.Errorf("%s has %s, and the inventory has not", filepath.Base(file), name)
			}
			delete(known, name)
		}
	}
	for name := range known {
		t.Errorf("the inventory has %s, and no manifest has", name)
	}
}

func TestTheVersionsAreThoseOfTheScripts(t *testing.T) {
	text, err := os.ReadFile("../../hack/versions.sh")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{
		"KUBERNETES_FLOOR": kubernetesFloor, "KNATIVE_FLOOR": knativeFloor, "KNATIVE_TESTED": knativeTested,
		"KNATIVE_OLDEST": knativeOldest,
	} {
		found := regexp.MustCompile(`(?m)^` + name + `=(?:1\.)?([0-9]+)$`).FindSubmatch(text)
		if found == nil || string(found[1]) != strconv.Itoa(want) {
			t.Errorf("%s is %q in hack/versions.sh, and %d here", name, found, want)
		}
	}
}

// Each failure of a row says what to do; the tests of pkg/cli plant them.
func TestEachRowSaysWhatItReadsAndWhatItMeans(t *testing.T) {
	for _, rows := range [][]Row{Before, Installed, TakeOver} {
		for _, r := range rows {
			if r.Name == "" || r.About == "" || len(r.Reads) == 0 {
				t.Errorf("row %q says not what it is about, or what it reads", r.Name)
			}
		}
	}
}
