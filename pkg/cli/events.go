package cli

import (
	"context"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/view"
)

func (p *program) events() command {
	return command{
		use: "events NAME", group: "look", kinds: allKinds, rights: lookRights, args: cobra.ExactArgs(1), flags: p.views,
		short:   "Events of it, its Deployments, pods, snapshots and session cluster",
		example: "  kn flink events orders",
		run: func(ctx context.Context, args []string) error {
			return p.eachSeen(ctx, args, func(_ *cluster, seen view.Seen) error {
				for _, unreadable := range seen.Unreadable {
					p.note("%s", unreadable)
				}
				all := view.JobOf(seen).Events
				if len(all) == 0 {
					p.note("no events: Kubernetes keeps them for an hour by default")
				}
				return p.show(struct {
					metav1.TypeMeta `json:",inline"`
					Items           []view.Event `json:"items"`
				}{metav1.TypeMeta{APIVersion: view.Version, Kind: "EventsView"}, all}, view.Events(all, seen.Now, len(all) == 0))
			})
		},
	}
}
