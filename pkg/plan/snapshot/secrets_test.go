package snapshot

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

func TestAFailureTellsNoSecret(t *testing.T) {
	w := newWorld(t, savepoint())
	w.s.Operator = flinkconf.NewOperator(flinkconf.Config{"s3.secret-key": "kQx7Zw"})
	w.runJob().run().answer(failedWith("cannot log in with kQx7Zw, password=swordfish at https://a:urlpass@h")).run()
	status, err := json.Marshal(w.status())
	if err != nil {
		t.Fatal(err)
	}
	told := fmt.Sprintf("%s %+v", status, w.events)
	for _, secret := range []string{"kQx7Zw", "swordfish", "urlpass"} {
		if strings.Contains(told, secret) {
			t.Errorf("%s is told: %s", secret, told)
		}
	}
	if !strings.Contains(told, "cannot log in with ******, password=****** at https://a:******@h") {
		t.Errorf("the rest of the cause is gone: %s", told)
	}
}
