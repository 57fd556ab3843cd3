package cli

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/lookout"
	"github.com/kn-flink/kn-flink/pkg/preview"
	"github.com/kn-flink/kn-flink/pkg/view"
	"github.com/kn-flink/kn-flink/pkg/view/edit"
)

// planKinds are those whose edits the operator decides about.
var planKinds = slices.Concat(runKinds, pairKinds)

// liveRights belong to what Flink itself tells.
const liveRights = "get of services/proxy, or create of pods/portforward: without them Flink is not asked"

func (p *program) plan() command {
	var file, patch string
	var revision int64
	return command{
		use: "plan [NAME]", group: "change", kinds: planKinds, args: cobra.MaximumNArgs(1),
		short: "What an edit would do, by the operator's own decision; nothing is changed",
		example: "  kn flink plan -f orders.yaml\n" +
			"  kn flink plan orders -p '{\"spec\":{\"job\":{\"parallelism\":8}}}'\n  kn flink plan orders\n" +
			"  kn flink plan orders --to 11",
		rights: []string{
			"patch of the kind, and create for one that is not there, as a dry run",
			"get of configmaps in the system namespace: without it the defaults count",
			"get and list of what the operator looks at (deployments, pods, configmaps, events, ingresses, the kinds)",
			liveRights, "with --to, " + historyRights,
		},
		flags: func(f *pflag.FlagSet) {
			p.views(f)
			f.Int64Var(&revision, "to", 0, "a rollback of NAME to this revision, see kn flink history")
			f.StringVarP(&file, "filename", "f", "", "the edited resources, of a file, or - for the standard input")
			f.StringVarP(&patch, "patch", "p", "", "the edit of NAME as a merge patch, in JSON or YAML")
		},
		run: func(ctx context.Context, args []string) error {
			switch {
			case file != "" && (len(args) > 0 || patch != "" || revision != 0), patch != "" && revision != 0:
				return failed("give either --filename, or NAME with --patch, --to, or none of them")
			case file != "":
				return p.planFile(ctx, file)
			case len(args) == 0:
				return failed("give --filename, or NAME")
			case revision != 0:
				return p.planRollback(ctx, args[0], revision)
			}
			return p.planNamed(ctx, args[0], patch)
		},
	}
}

// planNamed shows what a patch of one resource would do; an empty one, what a pass would do now.
func (p *program) planNamed(ctx context.Context, arg, patch string) error {
	c, object, err := p.named(ctx, arg, planKinds)
	if err != nil {
		return err
	}
	before := object
	if patch != "" {
		var content map[string]any
		if err := yaml.Unmarshal([]byte(patch), &content); err != nil {
			return failed("--patch is neither JSON nor YAML: %w", err)
		}
		if object, err = c.dryRun(ctx, object, content); err != nil {
			return refused(err)
		}
	}
	return p.planned(ctx, c, lookout.Edited{Before: before, After: object})
}

// planRollback shows what a rollback to a revision would do, as kn flink rollback makes it.
func (p *program) planRollback(ctx context.Context, arg string, revision int64) error {
	c, object, err := p.named(ctx, arg, runKinds)
	if err != nil {
		return err
	}
	all, err := c.revisions(ctx, object)
	if err != nil {
		return err
	}
	to, err := numbered(object, all, revision)
	if err != nil {
		return err
	}
	made, err := edit.Rollback(object, to, edit.StateNow, view.Hiding(object, to))
	if err != nil {
		return &Exit{CodeError, err}
	}
	after, err := c.dryRun(ctx, object, made.Patch)
	if err != nil {
		return refused(err)
	}
	return p.planned(ctx, c, lookout.Edited{Before: object, After: after})
}

// dryRun is a resource as a merge patch would leave it, judged by the API server.
func (c *cluster) dryRun(
	ctx context.Context, object *unstructured.Unstructured, patch map[string]any,
) (*unstructured.Unstructured, error) {
	return c.Edit(ctx, at(object), patch, true)
}

// at is where a resource of ours is.
func at(u *unstructured.Unstructured) kube.Object {
	kind, _ := kinds.Of(u.GetKind())
	return kube.Object{Resource: kind.Resource, Namespace: u.GetNamespace(), Name: u.GetName()}
}

// planned shows what the operator would do about resources as they were edited. Other commands that make an edit may
// show it so before they ask.
func (p *program) planned(ctx context.Context, c *cluster, edits ...lookout.Edited) error {
	l, err := p.lookout(ctx, c)
	if err != nil {
		return err
	}
	defer l.Close()
	var views []preview.View
	for _, e := range edits {
		v, err := l.Preview(ctx, e)
		if err != nil {
			return &Exit{CodeError, err}
		}
		views = append(views, v)
	}
	return p.showPlans(views)
}

func (p *program) showPlans(views []preview.View) error {
	text, acts, no := "", false, false
	for i, v := range views {
		if i > 0 {
			text += "\n"
		}
		text += v.Text()
		acts, no = acts || v.Acts(), no || v.IsRefused()
	}
	var shown any = views
	if len(views) == 1 {
		shown = views[0]
	}
	if err := p.show(shown, text); err != nil {
		return err
	}
	switch {
	case no:
		return &Exit{CodeRefused, errors.New("it would be refused; nothing was changed")}
	case acts:
		return &Exit{CodeNo, errors.New("it would act; nothing was changed")}
	}
	return nil
}

// lastApplied is what kubectl apply keeps of what it was given.
func lastApplied(u *unstructured.Unstructured) []byte {
	text := u.GetAnnotations()["kubectl.kubernetes.io/last-applied-configuration"]
	if !json.Valid([]byte(text)) {
		return nil
	}
	return []byte(text)
}
