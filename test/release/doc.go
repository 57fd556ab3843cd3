// Package release holds the archives of the plugin that hack/plugin.sh makes: what is in them, and that the plugin in
// them has the manifests of its release. release.sh, beside it, installs a release in a cluster.
//
// I/O: it runs the script, which builds the plugin. Start reading at plugin_test.go.
package release
