package gather

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/extension"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

// judging is a spec that the user's validators have a say in.
type judging struct {
	kind     string
	gvr      schema.GroupVersionResource
	resource metav1.Object
	spec     any
	// stored is the verdict that the status has; nil means none.
	stored *v1beta1.Verdict
}

// judged is what the user's validators say of a spec.
//
//	validators of the kind and namespace   stored verdict     then
//	none                                   any                nothing is said against it
//	some                                   on this spec, by   it counts
//	                                       these validators
//	some                                   another, or none   they are asked, by a pass; a look leaves it to that
func (g *Gatherer) judged(ctx context.Context, j judging) world.Judged {
	validators := flinkconf.For(g.Validators, j.kind, j.resource.GetNamespace())
	if len(validators) == 0 {
		return world.Judged{}
	}
	of, err := flinkconf.VerdictOf(validators, j.spec)
	if err != nil {
		return world.Judged{Unanswered: oneLine(err)}
	}
	if j.stored != nil && j.stored.Of == of {
		return world.Judged{Verdict: j.stored}
	}
	if g.Ask == nil {
		return world.Judged{}
	}
	question, err := extension.Question(j.kind, j.gvr, j.resource)
	if err != nil {
		return world.Judged{Unanswered: oneLine(err)}
	}
	said := g.Ask(ctx, validators, question)
	if said.Refusal == "" && said.Unanswered != "" {
		return world.Judged{Unanswered: said.Unanswered}
	}
	return world.Judged{Verdict: &v1beta1.Verdict{Of: of, Refusal: said.Refusal}}
}
