package decide

import (
	"fmt"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Copied stops at a status that was written for another resource, as a backup that is restored under another name has
// it, or after the resource was made anew: what it names is that one's.
func Copied(v *world.Look) decision.Decision {
	r := v.Seen.Resource
	if of := v.Want.WrittenFor; of == "" || of == r.UID || v.Last == nil {
		return decision.Pass()
	}
	return StatusCopied(v, "was written for the resource with UID "+string(v.Want.WrittenFor), "what it records")
}

// StatusCopied says how a user takes a copied status over.
func StatusCopied(v *world.Look, why, what string) decision.Decision {
	r, kind := v.Seen.Resource, strings.ToLower(string(v.Seen.JobKind()))
	return decision.Settle(decision.Result{
		Situation: plan.NotOurs,
		Stall: &plan.Cause{Reason: plan.ReasonStatusCopied, Message: fmt.Sprintf(
			"status %s, so nothing is done; if %s is to be this resource's, write that down with: kubectl patch "+
				"%s %s -n %s --subresource=status --type=merge -p '{\"status\":{\"writtenFor\":\"%s\"}}'; else "+
				"delete this resource and create it again without a status",
			why, what, kind, r.Name, r.Namespace, r.UID)},
	}, decision.Copied)
}
