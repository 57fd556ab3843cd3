package running

import (
	"fmt"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
)

// Cluster is the cluster of a FlinkDeployment.
type Cluster struct {
	// Version of Flink that it was deployed with; that of the spec when it was never deployed.
	Version v1beta1.FlinkVersion
	// Config that it was deployed with; the installation's defaults when it was never deployed.
	Config flinkconf.Config
	// Endpoint is where its JobManager answers; nil when there is none to ask.
	Endpoint *plan.Endpoint
}

// Of reads the cluster from the status of its resource.
func Of(operator flinkconf.Operator, d *v1beta1.FlinkDeployment) Cluster {
	text := SpecText(d.Status.ReconciliationStatus)
	deployed, err := v1beta1.ParseReconciledDeployment(text)
	if text == "" || err != nil {
		return Cluster{Version: d.Spec.FlinkVersion, Config: operator.Default(d.Namespace, d.Spec.FlinkVersion)}
	}
	c := Cluster{Version: deployed.Spec.FlinkVersion}
	c.Config, err = flinkconf.Observe(flinkconf.ObserveInput{
		Operator: operator, Namespace: d.Namespace, Name: d.Name, Deployed: &deployed.Spec, Current: &d.Spec,
	})
	if err != nil {
		c.Config = operator.Default(d.Namespace, c.Version)
	}
	if jm := d.Status.JobManagerDeploymentStatus; jm == v1beta1.JobManagerMissing || jm == "" {
		return c
	}
	scheme := "http"
	if options.Read(c.Config.Bool, key.RestSSLEnabled, false) {
		scheme = "https"
	}
	c.Endpoint = &plan.Endpoint{
		URL: fmt.Sprintf(
			"%s://%s-rest.%s.svc:%d", scheme, d.Name, d.Namespace, options.Read(c.Config.Int, key.RestPort, 8081),
		),
		Timeout: options.Read(c.Config.Duration, key.FlinkClientTimeout, 10*time.Second),
	}
	return c
}

// SpecText is the recorded text of the spec that runs: the stable one after a rollback.
func SpecText(r v1beta1.ReconciliationStatus) string {
	if r.State == v1beta1.ReconciliationRolledBack && r.LastStableSpec != "" {
		return r.LastStableSpec
	}
	return r.LastReconciledSpec
}
