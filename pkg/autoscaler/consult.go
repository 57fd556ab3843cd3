package autoscaler

import (
	"errors"
	"fmt"
	"slices"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/evaluate"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/execute"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/plugin"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/scale"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// EndNotAsked is a decision for which a plug-in of the user's own has to be asked first: see Result.Asks.
const EndNotAsked End = "NotAsked"

// Plugins are the plug-ins that the installation has an address of, by their class, each with its priority among
// executors: the lowest is asked first.
type Plugins map[string]int

// Unknown says of each plug-in that a job names, and that cannot be asked, why: one sentence each. A job whose
// autoscaler is off names none.
func (p Plugins) Unknown(c conf.Config) []string {
	enabled, err := c.Bool(key.AutoscalerEnabled)
	if err != nil || !enabled {
		return nil
	}
	mode, _ := c.Lookup(key.AutoscalerAlignmentMode)
	_, name := scale.ModeOf(model.Options{AlignmentMode: mode})
	return plugin.Unknown(c, name, func(class string) bool {
		_, has := p[class]
		return has
	})
}

// asking is an error that ends a cycle at a question.
type asking struct{ plugin.Question }

func (asking) Error() string { return "a plug-in is to be asked first" }

// consultation is one decision with what plug-ins said of the newest sample.
type consultation struct {
	Stored
	in      Input
	r       Result
	options model.Options
	events  []model.Event
}

// consult decides with the answers that are kept, or gives the next question. Plug-ins are asked about a full window
// only.
//
//	plug-in     is asked                              does not answer      no address is known
//	evaluator   about all vertices                    left out, and told   left out
//	alignment   if a vertex should change: those      Failed               BALANCED
//	executors   if the job would be scaled: about     Failed               left out
//	            what the one before let through
func (in Stored) consult(cycle Input, r Result, o model.Options) Result {
	named, err := plugin.Read(in.Config)
	if err != nil {
		return r.failed(err)
	}
	c := &consultation{Stored: in, in: cycle, r: r, options: o}
	if r.Collected.Full {
		if err = c.evaluated(named.Evaluators); err == nil {
			err = c.aligned()
		}
		c.executors(named.Executors)
	}
	if err == nil {
		r = c.in.decide(r, o)
		err = r.Err
	}
	if ask := (asking{}); errors.As(err, &ask) {
		return Result{
			State: c.r.State, End: EndNotAsked, Collected: c.r.Collected, Excluded: c.r.Excluded, Asks: &ask.Question,
		}
	}
	if err != nil && r.Err == nil {
		r = r.failed(err)
	}
	r.Events = append(c.events, r.Events...)
	return r
}

// registered are the plug-ins that the installation has an address of.
func (in Stored) registered(named []plugin.Plugin) []plugin.Plugin {
	return slices.DeleteFunc(slices.Clone(named), func(p plugin.Plugin) bool {
		_, has := in.Plugins[p.Class]
		return !has
	})
}

// answered is the answer of a plug-in. The error is the question, where it was not asked yet.
func (c *consultation) answered(
	kind plugin.Kind, p plugin.Plugin, about func(*plugin.Question) error,
) (plugin.Answer, error) {
	if a, has := plugin.Of(c.Kept.Answers, kind, p.Name); has {
		return a, nil
	}
	q := plugin.Question{
		APIVersion: plugin.APIVersion, Kind: kind, Name: p.Name, Class: p.Class, Job: c.Kept.Job,
		Time: c.in.Now.UTC(), Settings: p.Told(), RestartSeconds: c.r.Collected.RestartTime.Seconds(),
	}
	if err := about(&q); err != nil {
		return plugin.Answer{}, err
	}
	return plugin.Answer{}, asking{q}
}

// evaluated takes the metrics of an evaluator.
func (c *consultation) evaluated(named []plugin.Plugin) error {
	for _, p := range c.registered(named) {
		a, err := c.answered(plugin.KindEvaluator, p, func(q *plugin.Question) error {
			m, err := evaluate.Metrics(evaluate.Input{
				Options: c.options, RestartTime: c.r.Collected.RestartTime, Topology: c.r.Collected.Topology,
				Window: c.r.State.Samples,
			})
			q.Backlog, q.Samples = m.Backlog, plugin.SamplesOf(c.r.State.Samples)
			for _, v := range c.r.Collected.Topology.Vertices {
				q.Vertices = append(q.Vertices, plugin.About(v, m.Vertices[v.ID]))
			}
			return err
		})
		switch {
		case err != nil:
			return err
		case a.Problem != "":
			c.events = append(c.events, model.Event{
				Type: model.EventWarning, Reason: model.ReasonNoAnswer,
				Message: fmt.Sprintf("The metrics were evaluated without metric evaluator %s: %s", p.Name, a.Problem),
				Key:     p.Name, Suppressed: true, Interval: c.options.EventInterval,
			})
		default:
			c.in.Custom = a.Evaluations()
		}
	}
	return nil
}

// aligned takes the parallelism of an alignment mode.
func (c *consultation) aligned() error {
	mode, name := scale.ModeOf(c.options)
	p, has := plugin.Alignment(c.Config, name)
	if mode != scale.ModeCustom || !has || len(c.registered([]plugin.Plugin{p})) == 0 {
		return nil
	}
	alone := c.in.decide(c.r, c.options)
	var about []plugin.Vertex
	for _, v := range alone.Decision.Verdicts {
		if v.Steps.Wanted != 0 && v.Steps.Wanted != v.Current {
			about = append(about, c.about(v.Vertex, alone.Evaluated.Vertices, v.Steps.Wanted))
		}
	}
	if len(about) == 0 { // also where it fails: it does so again, and tells more
		return nil
	}
	a, err := c.answered(plugin.KindAlignment, p, func(q *plugin.Question) error {
		q.Backlog, q.Vertices = alone.Evaluated.Backlog, about
		return nil
	})
	if err == nil && a.Problem != "" {
		err = fmt.Errorf("alignment mode %s: %s", p.Name, a.Problem)
	}
	c.in.Aligned = a.Parallelism
	return err
}

// executors are asked in their order, each about what the one before let through.
func (c *consultation) executors(named []plugin.Plugin) {
	for _, p := range c.registered(named) {
		c.in.Executors = append(c.in.Executors, execute.Executor{
			Name: p.Name, Class: p.Class, Priority: c.Plugins[p.Class],
			Apply: func(proposed execute.Proposal, changes []execute.Change) ([]execute.Change, error) {
				a, err := c.answered(plugin.KindExecutor, p, func(q *plugin.Question) error {
					q.Backlog = proposed.Backlog
					for _, change := range changes {
						q.Vertices = append(q.Vertices, c.about(change.Vertex, proposed.Metrics, change.New))
					}
					return nil
				})
				if err == nil && a.Problem != "" {
					err = fmt.Errorf("scaling executor %s: %s", p.Name, a.Problem)
				}
				return allowed(changes, a.Parallelism), err
			},
		})
	}
}

// allowed are the changes that an executor let through.
func allowed(changes []execute.Change, parallelism map[string]int) []execute.Change {
	var through []execute.Change
	for _, change := range changes {
		if p, has := parallelism[change.Vertex]; has && p != change.Current {
			change.New = p
			through = append(through, change)
		}
	}
	return through
}

func (c *consultation) about(vertex string, metrics map[string]model.Evaluation, wanted int) plugin.Vertex {
	v, _ := c.r.Collected.Topology.Get(vertex)
	told := plugin.About(v, metrics[vertex])
	told.Wanted = wanted
	return told
}
