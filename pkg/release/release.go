package release

import (
	"embed"
	"io/fs"
)

//go:embed files
var files embed.FS

// Files are the manifests, packed by gzip: crds.yaml.gz, kn-flink.yaml.gz, kn-flink-webhook.yaml.gz, tenant.yaml.gz,
// and overlay-<name>.yaml.gz for each other shape. A plugin that was built from source has none of them.
func Files() fs.FS {
	sub, err := fs.Sub(files, "files")
	if err != nil { // the name is a constant
		return files
	}
	return sub
}
