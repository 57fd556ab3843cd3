package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
)

func main() {
	// LISTEN_HOST is of the local platform, whose pods share the addresses of one machine.
	address := net.JoinHostPort(os.Getenv("LISTEN_HOST"), cmp.Or(os.Getenv("PORT"), "8080"))
	log.Fatal(http.ListenAndServe(address, http.HandlerFunc(answer)))
}

// question is what of a question is read here. A number that is not known is null.
type question struct {
	Settings map[string]string `json:"settings"`
	Vertices []struct {
		ID      string           `json:"id"`
		Inputs  []any            `json:"inputs"`
		Metrics map[string]value `json:"metrics"`
	} `json:"vertices"`
}

type value struct {
	Average any `json:"average"`
}

// answer lets each source expect more records than come in: by option "headroom" of the job, a fifth otherwise. What is
// downstream follows.
func answer(w http.ResponseWriter, request *http.Request) {
	var q question
	if err := json.NewDecoder(request.Body).Decode(&q); err != nil {
		http.Error(w, "no question of the autoscaler", http.StatusBadRequest)
		return
	}
	said := map[string]any{}
	headroom, err := strconv.ParseFloat(cmp.Or(q.Settings["headroom"], "0.2"), 64)
	if err != nil {
		said["problem"] = fmt.Sprintf("option headroom: %q is no number", q.Settings["headroom"])
	}
	metrics := map[string]any{}
	for _, v := range q.Vertices {
		if rate, known := v.Metrics["TARGET_DATA_RATE"].Average.(float64); known && len(v.Inputs) == 0 {
			metrics[v.ID] = map[string]value{"TARGET_DATA_RATE": {Average: rate * (1 + headroom)}}
		}
	}
	said["metrics"] = metrics
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(said) // a caller that is gone cannot be told
}
