package scenario

import "github.com/kn-flink/kn-flink/test/kubesim/controllers"

func init() {
	for name, s := range neverRanScenarios {
		scenarios[name] = s
	}
}

// neverRanScenarios fix starts of stateful jobs whose JobManager never ran, however late its pod came.
var neverRanScenarios = map[string]scenario{
	"a quota in the way of a stateful job, and another spec": {func(h *harness) {
		h.image("flink:large", controllers.Script{Quota: true, Message: "exceeded quota: compute, requested: cpu=9"})
		h.apply("demo", application(stateful("savepoint"), field("image", "flink:large")))
		h.untilSituation("demo", "Broken")
		h.edit("demo", field("image", "flink:1.20"))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing")
	}, "where no pod could be made, nothing ran"},

	"a quota, then a broken image of a highly available job, then a good one": {func(h *harness) {
		h.image("flink:broken", controllers.Script{Quota: true, Message: "exceeded quota: compute, requested: cpu=9"})
		h.apply("demo", application(stateful("savepoint"), highlyAvailable, field("image", "flink:broken")))
		h.untilSituation("demo", "Broken")
		h.rest()
		h.image("flink:broken", controllers.Script{Waiting: "ImagePullBackOff", Message: "no such image"})
		h.until("the image is missing", func() bool {
			return h.condition("demo", "Stalled") != "-" &&
				h.podsOn("node-1") > 0
		})
		h.edit("demo", field("image", "flink:1.20"))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing")
	}, "its pod came late, and nobody ever led"},
}
