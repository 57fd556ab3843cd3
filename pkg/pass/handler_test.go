package pass

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/event"
)

func TestWhoUploadsHasMoreTime(t *testing.T) {
	for uploads, want := range map[bool]any{false: event.Budget, true: event.UploadBudget} {
		receiver, ok := NewHandler(Setup{Uploads: uploads}).(event.Receiver)
		if !ok || receiver.Budget != want {
			t.Errorf("uploads %t: a pass has %s, want %s", uploads, receiver.Budget, want)
		}
	}
}
