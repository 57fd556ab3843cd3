package snapshots

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// A FlinkDeployment and a FlinkSessionJob of one name ask for snapshots at the same moments: each has its own. Names
// are valid, however long the resource's is.
func TestNamesOfSnapshotsAreTheirJobsOwn(t *testing.T) {
	seen := map[string]string{}
	for kind, names := range map[v1beta1.JobKind][]string{
		v1beta1.JobKindFlinkDeployment: {"etl", "etl-job", strings.Repeat("a", 45)},
		v1beta1.JobKindFlinkSessionJob: {
			"etl", "etl-job", "etl.job", strings.Repeat("a", 45), strings.Repeat("a", 253), strings.Repeat("a", 252) + "b",
			strings.Repeat("a.", 126) + "a", strings.Repeat("a", 210),
		},
	} {
		for _, name := range names {
			for _, ty := range []Type{Savepoint, Checkpoint} {
				f := facts()
				f.Kind, f.Name, f.UID = kind, name, types.UID("uid of "+string(kind)+name)
				at := time.UnixMilli(1767268822000)
				s, err := MakeResource(f, Trigger{Type: ty, Cause: periodic, At: at})
				if err != nil {
					t.Fatal(err)
				}
				for _, problem := range validation.IsDNS1123Subdomain(s.Name) {
					t.Errorf("%s %s: %s: %s", kind, name, s.Name, problem)
				}
				whose := string(kind) + " " + name
				if other, taken := seen[s.Name]; taken {
					t.Errorf("%s has the name of %s: %s", whose, other, s.Name)
				}
				seen[s.Name] = whose
			}
		}
	}
}
