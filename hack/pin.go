//go:build tools

package hack

import (
	_ "github.com/cloudevents/sdk-go/v2"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/kelseyhightower/envconfig"
	_ "go.opentelemetry.io/otel/sdk/metric"
	_ "go.uber.org/zap"
	_ "golang.org/x/sync/errgroup"
	_ "k8s.io/api/apps/v1"
	_ "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	_ "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	_ "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	_ "k8s.io/client-go/dynamic"
	_ "k8s.io/client-go/dynamic/fake"
	_ "knative.dev/pkg/apis"
	_ "knative.dev/pkg/configmap"
	_ "knative.dev/pkg/kmeta"
	_ "knative.dev/pkg/logging"
	_ "knative.dev/pkg/signals"
	_ "pgregory.net/rapid"
	_ "sigs.k8s.io/yaml"
)
