package doctor

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/kinds"
)

// DefinitionOf is the name of the definition of one of our kinds.
func DefinitionOf(k kinds.Kind) string { return k.Resource.GroupResource().String() }

// pace is the type of the field by which sweeps select, which only our definitions have.
func pace(definition *unstructured.Unstructured) string {
	for _, version := range maps(definition, "spec", "versions") {
		if version["name"] == kinds.All[0].Resource.Version {
			kind, _, _ := unstructured.NestedString(version, "schema", "openAPIV3Schema", "properties", "status", "properties",
				"pace", "type")
			return kind
		}
	}
	return ""
}

// oldStored says that resources are stored in a version that this one does not have.
func oldStored(check string, stored []string, version string) Line {
	return line(check, Fail, "stored in version %s: write each resource again in %s, and take the others out of "+
		"status.storedVersions", strings.Join(stored, " "), version).do(
		fmt.Sprintf("kubectl get %s -A -o yaml | kubectl replace -f -", check),
		fmt.Sprintf("kubectl patch crd %s.flink.apache.org --subresource=status --type=merge "+
			`-p '{"status":{"storedVersions":["%s"]}}'`, check, version))
}
