package key

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
)

// TestAllIsComplete: a new option has to be added to the list above, so that the tests below look at it.
func TestAllIsComplete(t *testing.T) {
	//lint:ignore SA1019 this package has no build tags
	packages, err := parser.ParseDir(token.NewFileSet(), ".", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var declared []string
	for _, file := range packages["key"].Files {
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				for _, s := range g.Specs {
					declared = append(declared, s.(*ast.ValueSpec).Names[0].Name)
				}
			}
		}
	}
	declared = slices.DeleteFunc(declared, func(name string) bool { return !ast.IsExported(name) })
	for _, name := range declared {
		if _, listed := all[name]; !listed {
			t.Errorf("option %s is not in the list of all.go: add it", name)
		}
	}
	if len(declared) != len(all) {
		t.Errorf("%d options are declared, %d listed", len(declared), len(all))
	}
}

// TestDefaultsParse: every default is a value of its kind.
func TestDefaultsParse(t *testing.T) {
	for name, o := range all {
		if err := (conf.Config{}).Check(o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestKeysAreUnique: two options never mean the same key.
func TestKeysAreUnique(t *testing.T) {
	seen := map[string]string{}
	for name, o := range all {
		if other, twice := seen[o.Key]; twice {
			t.Errorf("%s and %s share the key %q", name, other, o.Key)
		}
		seen[o.Key] = name
		if slices.Contains(o.Fallbacks, o.Key) && o.Scope != conf.ScopeOperator {
			t.Errorf("%s falls back to itself", name)
		}
	}
}

// TestScopes: options of the operator and the autoscaler say who may set them, and only they do; an enumeration has
// constants.
func TestScopes(t *testing.T) {
	for name, o := range all {
		own := strings.HasPrefix(o.Key, OperatorPrefix) || strings.HasPrefix(o.Key, AutoscalerPrefix)
		if own != (o.Scope != conf.ScopeUnknown) {
			t.Errorf("%s (%s) has scope %q", name, o.Key, o.Scope)
		}
		if (o.Kind == conf.KindEnum) != (len(o.Values) > 0) {
			t.Errorf("%s: kind %s with values %q", name, o.Kind, o.Values)
		}
		if strings.HasPrefix(o.Key, AutoscalerPrefix) &&
			!slices.ContainsFunc(o.Fallbacks, func(f string) bool { return strings.HasPrefix(f, OperatorPrefix) }) {
			t.Errorf("%s has no fallback below %s", name, OperatorPrefix)
		}
	}
}

// ours are options that are meant to differ from the description in testdata, and why.
var ours = map[string]string{
	"Image": "the default names Flink's own image; here the pod template or validation " +
		"decides",
	"ClusterResourceViewRefreshInterval": "the default, -1 minute, is no duration text; not set means off",
	"RecoveryIgnoreUnclaimedState": "the two spellings are two options here, because which one counts depends on " +
		"the Flink version",
	"RecoveryPath": "the two spellings are two options here, because which one counts depends on the " +
		"Flink version",
	"RestSSLEnabled":                "Flink falls back to the older switch in code",
	"RestServiceLabels":             "Flink 2.2",
	"InternalServiceLabels":         "Flink 2.2",
	"PersistentVolumeClaims":        "Flink 2.3",
	"PersistentVolumeClaimReadOnly": "Flink 2.3",
	"ZooKeeperExecutionPlans":       "Flink 2.0",
	"ArtifactsAllowedHosts":         "ours",
	"AutoscalerMaxScalingsPerHour":  "ours",
	"AutoscalerTakeBackIneffective": "ours",
	"ArtifactsMaxSize":              "ours",
	"WatchedNamespaceSelector":      "ours",
	"ExecutionMode":                 "not declared as an option in Java",
	"FlinkVersion":                  "declared where the Java operator composes configurations",
}

// TestTables: every option as Flink 1.20.5 and the Java operator declare it: key, default in Flink's text form,
// fallbacks in order. The description was printed by their own classes. The operator's and autoscaler's options are all
// there.
func TestTables(t *testing.T) {
	text, err := os.ReadFile("testdata/options.txt")
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n") {
		key, _, _ := strings.Cut(line, "|")
		described[key] = line
	}
	for name, o := range all {
		def := "-"
		if o.HasDefault {
			def = o.Default
		}
		line := o.Key + "|" + def + "|" + strings.Join(o.Fallbacks, " ")
		if ours[name] == "" && described[o.Key] != line {
			t.Errorf("%s is %q, declared %q", name, line, described[o.Key])
		}
		if ours[name] != "" && described[o.Key] == line {
			t.Errorf("%s does not differ any more (%s): take it off the list", name, ours[name])
		}
		delete(described, o.Key)
	}
	for key := range described {
		if strings.HasPrefix(key, OperatorPrefix) || strings.HasPrefix(key, AutoscalerPrefix) {
			t.Errorf("option %q is declared there and missing here", key)
		}
	}
}

func TestExternalResourceAmount(t *testing.T) {
	if o := ExternalResourceAmount("gpu"); o.Key != "external-resource.gpu.amount" || o.Kind != conf.KindInt {
		t.Errorf("ExternalResourceAmount(gpu) = %+v", o)
	}
}
