package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"
	"syscall"

	cloudevents "github.com/cloudevents/sdk-go/v2"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()
	// Knative says PORT. LISTEN_HOST is of the local platform, whose pods share the addresses of one machine.
	listener, err := net.Listen("tcp", net.JoinHostPort(os.Getenv("LISTEN_HOST"), cmp.Or(os.Getenv("PORT"), "8080")))
	if err != nil {
		log.Fatal(err)
	}
	client, err := cloudevents.NewClientHTTP(cehttp.WithListener(listener))
	if err != nil {
		log.Fatal(err)
	}
	if err := client.StartReceiver(ctx, func(e cloudevents.Event) { fmt.Println(line(e)) }); err != nil {
		log.Fatal(err)
	}
}

// data are the fields of both events, org.apache.flink.operator.status.v1 and event.v1, that are printed.
type data struct {
	OldLifecycleState string `json:"oldLifecycleState"`
	LifecycleState    string `json:"lifecycleState"`
	JobState          string `json:"jobState"`
	Error             string `json:"error"`
	Type              string `json:"type"`
	Reason            string `json:"reason"`
	Message           string `json:"message"`
}

// line is an event as a sentence: when, whose, what.
func line(e cloudevents.Event) string {
	head := e.Time().Local().Format("15:04:05") + " " + e.Subject() + ": "
	var d data
	if err := e.DataAs(&d); err != nil {
		return head + e.Type() + ", data that is not understood: " + err.Error()
	}
	switch e.Type() {
	case "org.apache.flink.operator.status.v1":
		text := head + d.LifecycleState
		if d.OldLifecycleState != "" && d.OldLifecycleState != d.LifecycleState {
			text = head + d.OldLifecycleState + " -> " + d.LifecycleState
		}
		if d.JobState != "" {
			text += ", job " + d.JobState
		}
		if d.Error != "" {
			text += ", " + d.Error
		}
		return text
	case "org.apache.flink.operator.event.v1":
		return fmt.Sprintf("%s%s %s: %s", head, d.Type, d.Reason, d.Message)
	}
	return head + e.Type()
}
