package console

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
)

//go:embed assets
var assets embed.FS

// assetHash names the assets of this version: their addresses change with them.
var assetHash = hashOf("console.css", "console.js", "icon.svg")

// assetTypes are what the assets are served as.
var assetTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

func hashOf(names ...string) string {
	sum := sha256.New()
	for _, name := range names {
		content, _ := assets.ReadFile("assets/" + name) // they are embedded
		sum.Write(content)
	}
	return hex.EncodeToString(sum.Sum(nil))[:12]
}

// serveAsset answers with one of the embedded files.
func serveAsset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	content, err := assets.ReadFile("assets/" + path.Base(name))
	if err != nil || r.PathValue("hash") != assetHash {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", assetTypes[path.Ext(name)])
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	_, _ = w.Write(content) // a reader that is gone
}
