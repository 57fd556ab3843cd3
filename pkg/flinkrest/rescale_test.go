package flinkrest

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestResourceRequirements(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		c, _ := play(t, version, "resource-requirements")
		got, err := c.ResourceRequirements(background, job(20))
		wantKind(t, err, nil)
		if len(got) != 2 {
			t.Fatalf("two vertices: %+v", got)
		}
		for vertex, wanted := range got {
			if wanted.Parallelism != (Bounds{Lower: 1, Upper: 1}) {
				t.Errorf("%s: %+v", vertex, wanted)
			}
		}
		for name, kind := range map[string]error{
			"resource-requirements-set": nil, "resource-requirements-bad": ErrRejected,
		} {
			c, r := play(t, version, name)
			var wanted Requirements
			if err := json.Unmarshal(r.Sent, &wanted); err != nil {
				t.Fatal(err)
			}
			wantKind(t, c.SetResourceRequirements(background, job(20), wanted), kind)
		}
	})
}

func TestDefaultSchedulerCannotRescale(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		c, _ := play(t, version, "resource-requirements-default-scheduler")
		_, err := c.ResourceRequirements(background, job(1))
		wantKind(t, err, ErrRejected)
		if !strings.Contains(err.Error(), "AdaptiveScheduler") {
			t.Errorf("the message names what is needed: %v", err)
		}
	})
}
