package pass

import (
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/event"
)

func TestHowLongAnEventMayTake(t *testing.T) {
	for uploads, want := range map[bool]time.Duration{
		false: event.QueueBudget + event.Budget,
		true:  event.UploadQueueBudget + event.UploadBudget,
	} {
		receiver, ok := NewHandler(Setup{Uploads: uploads}).(event.Receiver)
		if !ok || receiver.Budget != want {
			t.Errorf("uploads %t: an event has %s, want %s", uploads, receiver.Budget, want)
		}
	}
}
