package render

import (
	"encoding/json"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/render/podtemplate"
)

// layerTemplates makes the two pod templates of the spec. It reads the operator's options, which are not in the
// configuration of the cluster.
func (b *builder) layerTemplates() error {
	options := reader{conf: b.in.Config.Effective}
	lists := podtemplate.ByPosition
	if options.flag(key.PodTemplateMergeArraysByName) {
		lists = podtemplate.ByName
	}
	probe := options.flag(key.JMStartupProbeEnabled)
	portOnly := options.flag(key.RestSSLEnabled) && options.flag(key.RestSSLAuthenticationEnabled)
	if options.err != nil {
		return options.err
	}
	common, err := parseTemplate("spec.podTemplate", b.in.Spec.PodTemplate)
	if err != nil {
		return err
	}
	jm, tm := b.in.Spec.JobManager, b.in.Spec.TaskManager
	if jm == nil {
		jm = &v1beta1.JobManagerSpec{}
	}
	if tm == nil {
		tm = &v1beta1.TaskManagerSpec{}
	}
	jobManager, err := parseTemplate(b.jobManager.field, jm.PodTemplate)
	if err != nil {
		return err
	}
	taskManager, err := parseTemplate(b.taskManager.field, tm.PodTemplate)
	if err != nil {
		return err
	}
	b.jobManager.template = podtemplate.Make(podtemplate.Layers{
		Common: common, Component: jobManager, Lists: lists, StartupProbe: probe, PortProbe: portOnly,
		Extra: extraResources(jm.Resources, jm.Resource),
	})
	b.taskManager.template = podtemplate.Make(podtemplate.Layers{
		Common: common, Component: taskManager, Lists: lists,
		Extra: extraResources(tm.Resources, tm.Resource),
	})
	return nil
}

func parseTemplate(where string, template *v1beta1.PodTemplate) (podtemplate.Tree, error) {
	if template == nil {
		return nil, nil
	}
	text, err := json.Marshal(template)
	if err != nil {
		return nil, &SpecError{Where: where, Problem: "cannot be printed", Err: err}
	}
	tree, err := podtemplate.Parse(text)
	if err != nil {
		return nil, &SpecError{Where: where, Problem: "cannot be read", Err: err}
	}
	return tree, nil
}

// extraResources are the resources that Flink does not size itself.
//
//	resources has a request or a limit | resource.ephemeralStorage | taken
//	yes                                | any                       | every name but cpu and memory
//	no                                 | set                       | it, as request and as limit
//	no                                 | not set                   | nothing
func extraResources(usable *v1beta1.ResourceRequirements, legacy *v1beta1.Resource) podtemplate.Resources {
	if usable.IsUsable() {
		return podtemplate.Resources{Requests: otherResources(usable.Requests), Limits: otherResources(usable.Limits)}
	}
	if legacy == nil || strings.TrimSpace(legacy.EphemeralStorage) == "" {
		return podtemplate.Resources{}
	}
	one := map[string]string{string(corev1.ResourceEphemeralStorage): legacy.EphemeralStorage}
	return podtemplate.Resources{Requests: one, Limits: one}
}

func otherResources(quantities map[string]v1beta1.Quantity) map[string]string {
	other := map[string]string{}
	for name, quantity := range quantities {
		if name != string(corev1.ResourceCPU) && name != string(corev1.ResourceMemory) {
			other[name] = string(quantity)
		}
	}
	return other
}

// checkTemplateFile refuses a template file of the user's where the spec gives no template: this operator reads no
// files. Where the spec gives one, the option is the operator's own and nothing reads it.
func (b *builder) checkTemplateFile(option conf.Option, template podtemplate.Tree) {
	path, set := b.conf.Lookup(option)
	if !set || template != nil {
		return
	}
	b.fail(&SpecError{
		Where: b.conf.UsedKey(option), Value: path,
		Problem: "names a file of the operator's, and this operator reads none: put the template into spec.podTemplate",
	})
}
