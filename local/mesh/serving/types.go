package serving

import (
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Resource is where Knative Services are.
var Resource = schema.GroupVersionResource{Group: "serving.knative.dev", Version: "v1", Resource: "services"}

// Labels and names that Serving gives its pods.
const (
	labelService  = "serving.knative.dev/service"
	labelRevision = "serving.knative.dev/revision"
	defaultPort   = 8080
)

// Container is the name of a function's container.
const Container = "user-container"

// service is the part of a Knative Service that counts here.
type service struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		Template struct {
			Metadata metav1.ObjectMeta `json:"metadata"`
			Spec     revisionSpec      `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
	Status struct {
		LatestReady string `json:"latestReadyRevisionName"`
	} `json:"status"`
}

type revisionSpec struct {
	corev1.PodSpec `json:",inline"`

	ContainerConcurrency int    `json:"containerConcurrency"`
	TimeoutSeconds       *int64 `json:"timeoutSeconds"`
}

func read(object *unstructured.Unstructured) (*service, error) {
	s := &service{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, s); err != nil {
		return nil, err
	}
	if n := len(s.Spec.Template.Spec.Containers); n != 1 {
		return nil, fmt.Errorf("spec.template.spec.containers: %d of them, and only one is understood here", n)
	}
	return s, nil
}

// revision is the name of the one that this generation makes.
func (s *service) revision() string { return fmt.Sprintf("%s-%05d", s.Name, s.Generation) }

// settings are how a revision serves and scales.
type settings struct {
	port        int
	concurrency int // requests at once in a pod; 0: any number
	timeout     time.Duration
	scale       Bounds
	initial     int
}

// annotation keys of autoscaling.knative.dev, and Serving's defaults.
func (s *service) settings() (settings, error) {
	out := settings{port: defaultPort, concurrency: s.Spec.Template.Spec.ContainerConcurrency, timeout: 300 * time.Second}
	if ports := s.Spec.Template.Spec.Containers[0].Ports; len(ports) > 0 {
		out.port = int(ports[0].ContainerPort)
	}
	if t := s.Spec.Template.Spec.TimeoutSeconds; t != nil {
		out.timeout = time.Duration(*t) * time.Second
	}
	r := reader{annotations: s.Spec.Template.Metadata.Annotations}
	out.initial = int(r.number("initial-scale", 1))
	out.scale.Min, out.scale.Max = int(r.number("min-scale", 0)), int(r.number("max-scale", 0))
	out.scale.Window = r.duration("window", time.Minute)
	target := r.number("target", 100)
	if out.concurrency > 0 {
		target = float64(out.concurrency)
	}
	out.scale.Target = target * r.number("target-utilization-percentage", 70) / 100
	return out, r.err
}

// reader reads annotations and keeps the first error.
type reader struct {
	annotations map[string]string
	err         error
}

func (r *reader) text(key string) (string, bool) {
	text, ok := r.annotations["autoscaling.knative.dev/"+key]
	return text, ok
}

func (r *reader) number(key string, standard float64) float64 {
	text, ok := r.text(key)
	if !ok {
		return standard
	}
	n, err := strconv.ParseFloat(text, 64)
	r.keep(key, err)
	return n
}

func (r *reader) duration(key string, standard time.Duration) time.Duration {
	text, ok := r.text(key)
	if !ok {
		return standard
	}
	d, err := time.ParseDuration(text)
	r.keep(key, err)
	return d
}

func (r *reader) keep(key string, err error) {
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("annotation autoscaling.knative.dev/%s: %w", key, err)
	}
}
