package main

import (
	"os"
	"strings"
	"testing"
)

func TestThePageIsUpToDate(t *testing.T) {
	text, err := page("../..")
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile("../../docs/reference/rights.md")
	if err != nil {
		t.Fatal(err)
	}
	if text != string(written) {
		t.Error("docs/reference/rights.md differs: run make generate")
	}
}

func TestEveryRightIsOnThePageWithItsReason(t *testing.T) {
	text, err := page("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"## reconcile\n", "## observe\n", "## admit\n", "## flink-source\n", "## flink\n",
		"| cluster † |", "`leases.coordination.k8s.io`", "`nodes.metrics.k8s.io`", "`replicasets.apps`",
		"`validatingwebhookconfigurations.admissionregistration.k8s.io`", "`secrets`: only flink-admit-tls",
		"| `flink-user` | `edit`, `admin` | `flinkdeployments.flink.apache.org`", "| `flink-viewer` | `view` |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q", want)
		}
	}
}
