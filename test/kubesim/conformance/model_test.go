package conformance

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/controllers"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

func TestNoAnswerIsRecordedForNothing(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) != len(refusals) {
		t.Errorf("%d answers are recorded for %d refusals: %v", len(files), len(refusals), err)
	}
}

// The API server of Kubernetes passes the same tests in local/controlplane, and wrote the recorded answers.
func TestTheModel(t *testing.T) {
	Run(t, func(t *testing.T) Cluster {
		server := kubesim.New(t, kubesim.NewClock(), wire.New())
		world := controllers.New(t, server, nil)
		for _, image := range []string{NeverReady, NeverReady + "-2"} {
			world.Script(image, controllers.Script{NeverReady: true})
		}
		homes := []string{"more", "flink"}
		return Cluster{
			Client: server.Dynamic("test"),
			Namespace: func(t *testing.T) string {
				home := homes[len(homes)-1]
				if homes = homes[:len(homes)-1]; home != "flink" {
					server.AddNamespace(home)
				}
				return home
			},
			Eventually: func(t *testing.T, what string, holds func() bool) {
				t.Helper()
				for !holds() {
					if !world.Step() {
						t.Fatalf("nothing moves any more, and not %s", what)
					}
				}
			},
			Recorded: func(t *testing.T, name, answer string) {
				t.Helper()
				want, err := os.ReadFile(filepath.Join("testdata", name+".json"))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), answer); diff != "" {
					t.Errorf("another answer (-API server +model)\n%s", diff)
				}
			},
		}
	})
}
