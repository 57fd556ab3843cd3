package main

import (
	"errors"
	"log"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/otlphttpexporter"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"

	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage"
	"github.com/open-telemetry/opentelemetry-collector-contrib/receiver/filelogreceiver"
)

// parts are what a configuration can name.
func parts() (otelcol.Factories, error) {
	receivers, err := otelcol.MakeFactoryMap[receiver.Factory](filelogreceiver.NewFactory())
	exporters, err2 := otelcol.MakeFactoryMap[exporter.Factory](otlphttpexporter.NewFactory())
	extensions, err3 := otelcol.MakeFactoryMap[extension.Factory](filestorage.NewFactory())
	return otelcol.Factories{
		Receivers: receivers, Exporters: exporters, Extensions: extensions,
		Telemetry: otelconftelemetry.NewFactory(),
	}, errors.Join(err, err2, err3)
}

func main() {
	if err := otelcol.NewCommand(otelcol.CollectorSettings{
		BuildInfo: component.NewDefaultBuildInfo(), Factories: parts,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: confmap.ResolverSettings{
			ProviderFactories: []confmap.ProviderFactory{envprovider.NewFactory(), fileprovider.NewFactory()},
			DefaultScheme:     "env", // as in the images
		}},
	}).Execute(); err != nil {
		log.Fatal(err)
	}
}
