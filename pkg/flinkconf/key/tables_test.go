package key

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
)

// TestDefaultsParse: every default is a value of its kind.
func TestDefaultsParse(t *testing.T) {
	for _, o := range all {
		if err := (conf.Config{}).Check(o); err != nil {
			t.Errorf("%s: %v", o.Key, err)
		}
	}
}

// TestKeysAreUnique: two options never mean the same key.
func TestKeysAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range all {
		if seen[o.Key] {
			t.Errorf("two options share the key %q", o.Key)
		}
		seen[o.Key] = true
		if slices.Contains(o.Fallbacks, o.Key) && o.Scope != conf.ScopeOperator {
			t.Errorf("%s falls back to itself", o.Key)
		}
	}
}

// TestScopes: options of the operator and the autoscaler say who may set them, and only they do; an enumeration has
// constants.
func TestScopes(t *testing.T) {
	for _, o := range all {
		own := strings.HasPrefix(o.Key, OperatorPrefix) || strings.HasPrefix(o.Key, AutoscalerPrefix)
		if own != (o.Scope != conf.ScopeUnknown) {
			t.Errorf("%s has scope %q", o.Key, o.Scope)
		}
		if (o.Kind == conf.KindEnum) != (len(o.Values) > 0) {
			t.Errorf("%s: kind %s with values %q", o.Key, o.Kind, o.Values)
		}
		if strings.HasPrefix(o.Key, AutoscalerPrefix) &&
			!slices.ContainsFunc(o.Fallbacks, func(f string) bool { return strings.HasPrefix(f, OperatorPrefix) }) {
			t.Errorf("%s has no fallback below %s", o.Key, OperatorPrefix)
		}
	}
}

// ours are options that are meant to differ from the description in testdata, and why. An option of the operator or the
// autoscaler that it does not have is kn-flink's own.
var ours = map[string]string{
	Image.Key: "the default names Flink's own image; here the pod template or validation " +
		"decides",
	ClusterResourceViewRefreshInterval.Key: "the default, -1 minute, is no duration text; not set means off",
	RecoveryIgnoreUnclaimedState.Key: "the two spellings are two options here, because which one counts depends on " +
		"the Flink version",
	RecoveryPath.Key: "the two spellings are two options here, because which one counts depends on the " +
		"Flink version",
	RestSSLEnabled.Key:                "Flink falls back to the older switch in code",
	RestServiceLabels.Key:             "Flink 2.2",
	InternalServiceLabels.Key:         "Flink 2.2",
	PersistentVolumeClaims.Key:        "Flink 2.3",
	PersistentVolumeClaimReadOnly.Key: "Flink 2.3",
	ZooKeeperExecutionPlans.Key:       "Flink 2.0",
	ExecutionMode.Key:                 "not declared as an option in Java",
	FlinkVersion.Key:                  "declared where the Java operator composes configurations",
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
	for _, o := range all {
		def := "-"
		if o.HasDefault {
			def = o.Default
		}
		line := o.Key + "|" + def + "|" + strings.Join(o.Fallbacks, " ")
		if described[o.Key] == "" && o.Scope != conf.ScopeUnknown && ours[o.Key] == "" {
			continue // a key that is spelled wrong leaves a described one over
		}
		if ours[o.Key] == "" && described[o.Key] != line {
			t.Errorf("%s is %q, declared %q", o.Key, line, described[o.Key])
		}
		if ours[o.Key] != "" && described[o.Key] == line {
			t.Errorf("%s does not differ any more (%s): take it off the list", o.Key, ours[o.Key])
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
