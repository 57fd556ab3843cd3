package render

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

const envLogDir = "FLINK_LOG_DIR"

// image is the one of the option, else the default.
func (b *builder) image() string {
	return firstNonBlank(b.text(key.Image), defaultImage(b.in.Spec.FlinkVersion))
}

// defaultImage stands in when neither the spec nor the template names an image. The Java operator's client takes the
// image of its own release whatever the Flink version is; that is right for 1.20 only. TaskManagers get the default of
// the client inside the JobManager's image, which is the same release.
func defaultImage(version v1beta1.FlinkVersion) string {
	if version == v1beta1.FlinkV1_20 {
		return "apache/flink:1.20.4-scala_2.12"
	}
	return "flink:" + version.Dotted()
}

// addEnvironment adds the variables that the configuration sets for a component.
func (b *builder) addEnvironment(main *corev1.Container, c component) {
	for _, option := range b.conf.Keys() {
		if name, is := strings.CutPrefix(option, c.environment); is && name != "" {
			main.Env = append(main.Env, corev1.EnvVar{Name: name, Value: b.conf[option]})
		}
	}
}

// addLogDir says where the log files go, when that is not left to the image.
func (b *builder) addLogDir(main *corev1.Container) {
	if dir := b.text(key.LogDir); dir != "" {
		main.Env = append(main.Env, corev1.EnvVar{Name: envLogDir, Value: dir})
	}
}

// size sets cpu and memory of a component; other resources of the template stay.
func (b *builder) size(main *corev1.Container, c component, memory int64) {
	cpu := b.float(c.cpu)
	cpuFactor, memoryFactor := b.factor(c.cpuFactor), b.factor(c.memoryFactor)
	limit := math.Min(math.Trunc(float64(memory)*memoryFactor), math.MaxInt32)
	requests, limits := corev1.ResourceList{}, corev1.ResourceList{}
	for name, quantity := range main.Resources.Requests {
		requests[name] = quantity
	}
	for name, quantity := range main.Resources.Limits {
		limits[name] = quantity
	}
	requests[corev1.ResourceCPU] = b.cores(c.cpu, cpu)
	limits[corev1.ResourceCPU] = b.cores(c.cpuFactor, cpu*cpuFactor)
	requests[corev1.ResourceMemory] = mebibytes(memory)
	limits[corev1.ResourceMemory] = mebibytes(int64(limit))
	main.Resources.Requests, main.Resources.Limits = requests, limits
}

func (b *builder) cores(o conf.Option, cores float64) resource.Quantity {
	quantity, err := resource.ParseQuantity(strconv.FormatFloat(cores, 'f', -1, 64))
	if err != nil {
		b.fail(
			&SpecError{
				Where: o.Key, Value: b.text(o), Problem: fmt.Sprintf("gives %v cores, which is not a quantity", cores),
			},
		)
	}
	return quantity
}

func mebibytes(n int64) resource.Quantity {
	return *resource.NewQuantity(n<<20, resource.BinarySI)
}
