package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	cloudevents "github.com/cloudevents/sdk-go/v2"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()
	port, err := strconv.Atoi(os.Getenv("PORT"))
	if err != nil {
		port = 8080
	}
	client, err := cloudevents.NewClientHTTP(cloudevents.WithPort(port))
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
