//go:build sources

package schemas

// The packages of the kinds. They are read as source and never compiled; this has go.mod name their versions.
import (
	_ "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	_ "github.com/external-secrets/external-secrets/apis/externalsecrets/v1"
	_ "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
)
