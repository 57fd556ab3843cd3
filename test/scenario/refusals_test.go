package scenario

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// policy refuses some writes of the functions for a while.
type policy struct {
	until   time.Time
	refuses func(kubesim.Write) error
	// forOthers says that what is refused is for others: events, FlinkStateSnapshots.
	forOthers bool
}

// policies are those of one run. Several may be in force at a time.
type policies struct {
	h    *harness
	name string // the resource that may grow no more
	// disturbed is called when something begins to go wrong, struck when it strikes.
	disturbed, struck func()
	// fault arms one.
	fault func(wire.Fault)
	all   []policy
}

// judge is asked by the API server.
func (p *policies) judge(w kubesim.Write) error {
	for _, one := range p.all {
		if p.h.w.Clock.Now().Before(one.until) {
			if err := one.refuses(w); err != nil {
				p.struck()
				return err
			}
		}
	}
	return nil
}

// quotas are of kinds that passes create.
var quotas = []schema.GroupVersionResource{
	kubesim.Deployments, kubesim.Services, kubesim.ConfigMaps, kubesim.FlinkStateSnapshots, kubesim.Events,
	kubesim.Deployments,
}

// webhooks are what others' webhooks look at: a kind, also its status, in any write.
var webhooks = []struct {
	resource    schema.GroupVersionResource
	subresource string
}{
	{kubesim.Deployments, ""}, {kubesim.FlinkDeployments, ""}, {kubesim.FlinkDeployments, "status"},
	{kubesim.ConfigMaps, ""}, {kubesim.Services, ""}, {kubesim.FlinkStateSnapshots, ""}, {kubesim.Pods, ""},
}

// refusalVerbs are what the API server refuses although nothing is wrong with the spec: for one kind of object, for a
// while.
var refusalVerbs = map[string]func(p *policies, n int){
	"quota": func(p *policies, n int) {
		kind := pick(n, quotas...)
		p.govern(n/len(quotas), func(w kubesim.Write) error {
			if w.Verb != "create" || w.Resource != kind {
				return nil
			}
			return kubesim.OverQuota(w)
		})
	},
	"webhook-denies":  func(p *policies, n int) { p.webhook(n, kubesim.DeniedByWebhook) },
	"webhook-forbids": func(p *policies, n int) { p.webhook(n, kubesim.ForbiddenByWebhook) },
	"webhook-away":    func(p *policies, n int) { p.webhook(n, kubesim.WebhookAway) },
	"too-many-requests": func(p *policies, n int) {
		p.refusals()
		until := p.h.w.Clock.Now().Add(aWhile(n))
		p.fault(wire.Fault{Status: 429, Match: func(q wire.Request) bool {
			return q.System == "kube" && p.h.w.Clock.Now().Before(until)
		}})
	},
	"time-out": func(p *policies, n int) {
		p.fault(wire.Fault{Nth: 1 + n, After: true, Status: 504, Match: func(q wire.Request) bool {
			return q.System == "kube" && wire.Writes("reconcile")(q)
		}})
	},
	// What is stored of the resource now fits, and little more.
	"object-limit": func(p *policies, n int) {
		if u := p.h.resource(p.name); u != nil && n%4 != 3 {
			p.refusals()
			p.h.w.Kube.ObjectLimit = kubesim.Size(u) + pick(n, 200, 1000, 4000)
			return
		}
		p.h.w.Kube.ObjectLimit = 0
	},
}

// aWhile is shorter than a pass, or long enough that much is tried again.
func aWhile(n int) time.Duration { return pick(n, 10*time.Second, time.Minute, 6*time.Minute) }

func (p *policies) webhook(n int, refusal func() error) {
	at := pick(n, webhooks...)
	p.govern(n/len(webhooks)+1, func(w kubesim.Write) error {
		if w.Resource != at.resource || w.Subresource != at.subresource {
			return nil
		}
		return refusal()
	})
}

// refusals notes that the API server may refuse what is right.
func (p *policies) refusals() {
	p.disturbed()
	p.h.refused = true
}

// govern adds a policy.
func (p *policies) govern(n int, refuses func(kubesim.Write) error) {
	p.refusals()
	p.all = append(p.all, policy{until: p.h.w.Clock.Now().Add(aWhile(n)), refuses: refuses})
}

// ungoverned takes all of it away.
func (p *policies) ungoverned() {
	p.all, p.h.w.Kube.ObjectLimit = nil, 0
}
