package crd

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/bounded"
)

// Names, columns and subresources that users and scripts know.
func TestNamesColumnsAndSubresources(t *testing.T) {
	rows := map[string]struct {
		short, singular string
		columns         []string // those of the Java operator, which come first without -o wide; Ready and Age follow
		selectable      []string
		scale           bool
	}{
		v1beta1.KindFlinkDeployment: {
			"flinkdep", "flinkdeployment",
			[]string{"Job Status .status.jobStatus.state", "Lifecycle State .status.lifecycleState"},
			[]string{".status.lifecycleState", ".status.pace"}, true,
		},
		v1beta1.KindFlinkSessionJob: {
			"sessionjob", "flinksessionjob",
			[]string{"Job Status .status.jobStatus.state", "Lifecycle State .status.lifecycleState"},
			[]string{".status.lifecycleState", ".status.pace"}, false,
		},
		v1beta1.KindFlinkStateSnapshot: {
			"flinksnp", "flinkstatesnapshot",
			[]string{"Path .status.path", "Result Timestamp .status.resultTimestamp", "Snapshot State .status.state"},
			[]string{".status.pace"}, false,
		},
		v1beta1.KindFlinkBlueGreenDeployment: {
			"flinkbgdep", "flinkbluegreendeployment",
			[]string{"Job Status .status.jobStatus.state"},
			[]string{".status.pace"}, false,
		},
	}
	for kind, row := range rows {
		d := loadDefinition(t, kind)
		names := d.crd.Spec.Names
		if d.crd.Name != resources[kind]+".flink.apache.org" || names.Plural != resources[kind] ||
			names.Singular != row.singular ||
			!slices.Equal(names.ShortNames, []string{row.short}) || names.Kind != kind ||
			!slices.Equal(names.Categories, []string{"flink"}) {
			t.Errorf("%s: names %+v", kind, names)
		}
		if d.crd.Spec.Scope != apiextensionsv1.NamespaceScoped || d.version.Name != "v1beta1" || !d.version.Served ||
			!d.version.Storage {
			t.Errorf("%s: scope %s, version %s", kind, d.crd.Spec.Scope, d.version.Name)
		}
		var columns []string
		for _, column := range d.version.AdditionalPrinterColumns {
			if (column.Type != "string" && column.Name != "Age") || column.Priority > 1 {
				t.Errorf("%s: column %+v", kind, column)
			}
			if column.Priority == 0 {
				columns = append(columns, column.Name+" "+column.JSONPath)
			}
		}
		want := append(
			row.columns, `Ready .status.conditions[?(@.type=="Ready")].status`, "Age .metadata.creationTimestamp",
		)
		if diff := cmp.Diff(want, columns); diff != "" {
			t.Errorf("%s: columns (-want +got):\n%s", kind, diff)
		}
		checkSelectable(t, kind, d, row.selectable)
		if d.version.Subresources == nil || d.version.Subresources.Status == nil ||
			(d.version.Subresources.Scale != nil) != row.scale {
			t.Errorf("%s: subresources %+v", kind, d.version.Subresources)
		}
	}
	selector := ".status.taskManager.labelSelector"
	want := &apiextensionsv1.CustomResourceSubresourceScale{
		SpecReplicasPath: ".spec.taskManager.replicas", StatusReplicasPath: ".status.taskManager.replicas",
		LabelSelectorPath: &selector,
	}
	if diff := cmp.Diff(want, loadDefinition(t, v1beta1.KindFlinkDeployment).version.Subresources.Scale); diff != "" {
		t.Errorf("scale subresource (-want +got):\n%s", diff)
	}
}

// checkSelectable checks the fields and that the API server takes their paths.
func checkSelectable(t *testing.T, kind string, d definition, want []string) {
	t.Helper()
	var got []string
	for _, field := range d.version.SelectableFields {
		got = append(got, field.JSONPath)
		_, schema, err := schemacel.ValidFieldPath(
			field.JSONPath, d.structural, schemacel.WithFieldPathAllowArrayNotation(false),
		)
		if err != nil || schema.Type != "string" {
			t.Errorf("%s: selectable field %s: %v", kind, field.JSONPath, err)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: selectable fields %v, want %v", kind, got, want)
	}
}

// The fields of the reference's API with their types. A definition may have
// more, never less and never another type.
func TestFieldsAndTypes(t *testing.T) {
	job := map[string]string{
		"jarURI": "string", "parallelism": "integer", "entryClass": "string", "args": "array", "args[]": "string",
		"state":                 "string",
		"savepointTriggerNonce": "integer", "checkpointTriggerNonce": "integer", "initialSavepointPath": "string",
		"upgradeMode":           "string",
		"allowNonRestoredState": "boolean", "savepointRedeployNonce": "integer", "autoscalerResetNonce": "integer",
	}
	ingress := map[string]string{
		"": "object", "template": "string", "className": "string", "annotations": "object", "annotations{}": "string",
		"labels":   "object",
		"labels{}": "string", "tls": "array", "tls[]": "object", "tls[].hosts": "array", "tls[].hosts[]": "string",
		"tls[].secretName": "string",
	}
	manager := map[string]string{
		"": "object", "resource": "object", "resource.cpu": "number", "resource.memory": "string",
		"resource.ephemeralStorage": "string",
		"resources":                 "object", "resources.requests": "object", "resources.requests{}": "",
		"resources.limits": "object", "resources.limits{}": "",
		"resources.claims": "array", "resources.claims[].name": "string", "resources.claims[].request": "string",
		"replicas": "integer", "podTemplate": "object", "podTemplate.spec.containers": "array",
		"podTemplate.status":     "object",
		"podTemplate.apiVersion": "string", "podTemplate.kind": "string", "podTemplate.metadata.annotations{}": "string",
	}
	jobStatus := map[string]string{
		"": "object", "jobName": "string", "jobId": "string", "state": "string", "startTime": "string",
		"updateTime": "string", "upgradeSavepointPath": "string",
		"savepointInfo.lastSavepoint.timeStamp": "integer", "savepointInfo.lastSavepoint.location": "string",
		"savepointInfo.lastSavepoint.triggerNonce": "integer",
		"savepointInfo.triggerId":                  "string", "savepointInfo.triggerTimestamp": "integer",
		"savepointInfo.savepointHistory":               "array",
		"savepointInfo.lastPeriodicSavepointTimestamp": "integer", "checkpointInfo.lastCheckpoint.timeStamp": "integer",
		"checkpointInfo.triggerId": "string", "checkpointInfo.triggerTimestamp": "integer",
		"checkpointInfo.lastPeriodicCheckpointTimestamp": "integer",
	}
	cluster := map[string]string{
		"image": "string", "imagePullPolicy": "string", "serviceAccount": "string", "flinkVersion": "string",
		"restartNonce":       "integer",
		"flinkConfiguration": "", "logConfiguration": "object", "logConfiguration{}": "string", "mode": "string",
		"podTemplate": "object",
	}
	common := map[string]string{
		"error": "string", "observedGeneration": "integer", "lifecycleState": "string",
		"reconciliationStatus.reconciliationTimestamp": "integer",
		"reconciliationStatus.lastReconciledSpec":      "string", "reconciliationStatus.lastStableSpec": "string",
		"reconciliationStatus.state": "string",
	}
	at := func(prefix string, fields map[string]string) map[string]string {
		out := map[string]string{}
		for name, kind := range fields {
			out[strings.TrimSuffix(prefix+"."+name, ".")] = kind
		}
		return out
	}
	join := func(parts ...map[string]string) map[string]string {
		out := map[string]string{}
		for _, part := range parts {
			maps.Copy(out, part)
		}
		return out
	}
	clusterAt := func(prefix string) map[string]string {
		return join(
			at(prefix, cluster), at(prefix+".job", job), at(prefix+".ingress", ingress), at(prefix+".jobManager", manager),
			at(prefix+".taskManager", manager),
		)
	}
	want := map[string]map[string]string{
		v1beta1.KindFlinkDeployment: join(clusterAt("spec"), at("status", common), at("status.jobStatus", jobStatus),
			at("status", map[string]string{
				"clusterInfo{}": "string", "jobManagerDeploymentStatus": "string", "taskManager.labelSelector": "string",
				"taskManager.replicas": "integer",
				"conditions[].type":    "string", "conditions[].status": "string", "conditions[].reason": "string",
				"conditions[].message":            "string",
				"conditions[].lastTransitionTime": "string", "conditions[].observedGeneration": "integer",
			})),
		v1beta1.KindFlinkSessionJob: join(at("spec.job", job), at("status", common), at("status.jobStatus", jobStatus),
			map[string]string{
				"spec.deploymentName": "string", "spec.restartNonce": "integer", "spec.flinkConfiguration": "",
			}),
		v1beta1.KindFlinkStateSnapshot: {
			"spec.backoffLimit": "integer", "spec.checkpoint": "object", "spec.jobReference.kind": "string",
			"spec.jobReference.name":       "string",
			"spec.savepoint.alreadyExists": "boolean", "spec.savepoint.disposeOnDelete": "boolean",
			"spec.savepoint.formatType": "string", "spec.savepoint.path": "string",
			"status.error": "string", "status.failures": "integer", "status.path": "string",
			"status.resultTimestamp": "string", "status.state": "string",
			"status.triggerId": "string", "status.triggerTimestamp": "string",
		},
		v1beta1.KindFlinkBlueGreenDeployment: join(clusterAt("spec.template.spec"), at("spec.ingress", ingress),
			at("status.jobStatus", jobStatus), map[string]string{
				"spec.configuration{}": "string", "spec.template.metadata": "object", "status.blueGreenState": "string",
				"status.lastReconciledSpec":      "string",
				"status.lastReconciledTimestamp": "string", "status.abortTimestamp": "string",
				"status.deploymentReadyTimestamp": "string",
				"status.savepointTriggerId":       "string", "status.error": "string",
			}),
	}
	for kind, fields := range want {
		got := map[string]string{}
		visit(loadDefinition(t, kind).structural, "", func(path string, s *structuralschema.Structural) {
			got[path] = s.Type
		})
		for path, wantType := range fields {
			if gotType, ok := got[path]; !ok || gotType != wantType {
				t.Errorf("%s %s: type %q (there: %t), want %q", kind, path, gotType, ok, wantType)
			}
		}
	}
}

// Every value of an enumeration is known to the Go type of that field, and no
// value of the reference is missing.
func TestEnumerations(t *testing.T) {
	known := map[string]func(string) bool{
		"flinkVersion":               func(s string) bool { return v1beta1.FlinkVersion(s).Known() },
		"mode":                       func(s string) bool { return v1beta1.Mode(s).Known() },
		"job.state":                  func(s string) bool { return v1beta1.JobState(s).Known() },
		"upgradeMode":                func(s string) bool { return v1beta1.UpgradeMode(s).Known() },
		"jobReference.kind":          func(s string) bool { return v1beta1.JobKind(s).Known() },
		"savepoint.formatType":       func(s string) bool { return v1beta1.SavepointFormatType(s).Known() },
		"triggerType":                func(s string) bool { return v1beta1.SnapshotTriggerType(s).Known() },
		"jobStatus.state":            func(s string) bool { return v1beta1.FlinkJobState(s).Known() },
		"lifecycleState":             func(s string) bool { return v1beta1.LifecycleState(s).Known() },
		"reconciliationStatus.state": func(s string) bool { return v1beta1.ReconciliationState(s).Known() },
		"jobManagerDeploymentStatus": func(s string) bool { return v1beta1.JobManagerDeploymentStatus(s).Known() },
		"status.state":               func(s string) bool { return v1beta1.SnapshotState(s).Known() },
		"blueGreenState":             func(s string) bool { return v1beta1.BlueGreenState(s).Known() },
		"formatType": func(s string) bool {
			return v1beta1.SavepointFormatType(s).Known() || v1beta1.CheckpointFormatType(s).Known()
		},
	}
	sizes := map[string]int{
		"flinkVersion": 13, "mode": 2, "job.state": 2, "upgradeMode": 3, "jobReference.kind": 2, "savepoint.formatType": 3,
		"triggerType": 4, "jobStatus.state": 11,
		"lifecycleState": 10, "reconciliationStatus.state": 4, "jobManagerDeploymentStatus": 5, "status.state": 5,
		"blueGreenState": 7, "formatType": 3,
	}
	// The most specific ending of the path names the field.
	endings := slices.SortedFunc(maps.Keys(known), func(a, b string) int { return len(b) - len(a) })
	seen := map[string]bool{}
	for kind := range resources {
		visit(loadDefinition(t, kind).structural, "", func(path string, s *structuralschema.Structural) {
			if s.ValueValidation == nil || len(s.ValueValidation.Enum) == 0 {
				return
			}
			at := slices.IndexFunc(endings, func(ending string) bool { return strings.HasSuffix(path, ending) })
			if at < 0 {
				t.Errorf("%s %s has an enumeration, the reference has none", kind, path)
				return
			}
			ending := endings[at]
			seen[ending] = true
			if len(s.ValueValidation.Enum) != sizes[ending] {
				t.Errorf("%s %s: %d values, want %d", kind, path, len(s.ValueValidation.Enum), sizes[ending])
			}
			for _, value := range s.ValueValidation.Enum {
				if !known[ending](value.Object.(string)) {
					t.Errorf("%s %s: value %v is unknown to the Go type", kind, path, value.Object)
				}
			}
		})
	}
	for _, ending := range endings {
		if !seen[ending] {
			t.Errorf("no field ends in %s", ending)
		}
	}
}

// Nothing constrains a field but its type, an enumeration and our own rules, and
// nothing is filled in: what the reference stores, we store as it is. The exceptions are the number of keys that a
// flinkConfiguration may have, because the API server refuses more before a function has to read them, and a status in
// the place of none, which says that nobody has looked at the resource.
func TestNoOtherConstraints(t *testing.T) {
	most := int64(bounded.FlinkConfiguration.Keys)
	for kind := range resources {
		visit(loadDefinition(t, kind).structural, "", func(path string, s *structuralschema.Structural) {
			if path == "status" {
				want := map[string]any{"observedGeneration": int64(-1)}
				if diff := cmp.Diff(any(want), s.Default.Object); diff != "" {
					t.Errorf("%s without a status (-want +got)\n%s", kind, diff)
				}
				s.Default.Object = nil
			}
			if s.Default.Object != nil || s.Nullable || s.XListType != nil || s.XMapType != nil || s.XEmbeddedResource {
				t.Errorf("%s %s: default, nullable, list or map type, or embedded resource", kind, path)
			}
			if path == "flinkConfiguration" || strings.HasSuffix(path, ".flinkConfiguration") {
				if v := s.ValueValidation; v == nil || v.MaxProperties == nil || *v.MaxProperties != most {
					t.Errorf("%s %s: constrained by %+v, want at most %d keys", kind, path, v, most)
				} else {
					v.MaxProperties = nil
				}
			}
			if v := s.ValueValidation; v != nil {
				constrained := v.Format != "" || len(v.Required) > 0 || v.Maximum != nil || v.Minimum != nil ||
					v.MaxLength != nil || v.MinLength != nil ||
					v.Pattern != "" || v.MaxItems != nil || v.MinItems != nil || v.MaxProperties != nil || v.MinProperties != nil
				if constrained {
					t.Errorf("%s %s: constrained by %+v", kind, path, v)
				}
			}
		})
	}
}

// A CRD has to fit into etcd and into what kubectl sends.
func TestSizes(t *testing.T) {
	for _, plural := range resources {
		info, err := os.Stat(crdFolder + "/flink.apache.org_" + plural + ".yaml")
		if err != nil || info.Size() > 800_000 {
			t.Errorf("%s: %v, %v", plural, info, err)
		}
	}
}
