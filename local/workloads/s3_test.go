//go:build nightly

package workloads

import (
	_ "embed" // the project file
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/maven"
)

//go:embed testdata/s3-plugin.xml
var plugin []byte

// TestStateIsInAnObjectStore: a job keeps checkpoints, savepoints and the data of high availability in a store that
// speaks S3, with credentials from a Secret, and is upgraded by savepoint and by last state.
func TestStateIsInAnObjectStore(t *testing.T) {
	const name, bucket, user, jar = "s3", "flink", "the-user-of-the-secret", "flink-s3-fs-presto-2.2.0.jar"
	store, address := objectStore(t, bucket, user)
	plugins, err := maven.Jars(t.Context(), "s3-plugin", plugin)
	if err != nil {
		t.Fatal(err)
	}
	// The image has the plugin in opt; what stands for it here has not.
	ns.Apply(t, ns.File(t, name+".yaml", append([]string{
		"image: flink:2.2.0", "image: flink:2.2",
		"http://minio.minio.svc:9000", address,
		"AWS_ACCESS_KEY_ID: flink", "AWS_ACCESS_KEY_ID: " + user,
		"        envFrom:\n", "        volumeMounts:\n        - {name: plugin, mountPath: /opt/flink/opt/" + jar + "}\n" +
			"        envFrom:\n",
		"  job:\n", "      volumes:\n      - name: plugin\n        hostPath: {path: " + filepath.Join(plugins, jar) +
			", type: File}\n  job:\n",
	}, fresh...)...)...)
	stateful(name, nil).Run(t, life.Upgraded("savepoint"), life.Upgraded("last-state"))
	for _, part := range []string{"ha", "checkpoints", "savepoints"} {
		prefix := gofakes3.NewFolderPrefix("s3/" + part + "/")
		is, err := store.ListBucket(bucket, &prefix, gofakes3.ListBucketPage{})
		if err != nil || len(is.Contents)+len(is.CommonPrefixes) == 0 {
			t.Errorf("nothing below %s in the store: %v", prefix.Prefix, err)
		}
	}
}

// objectStore is a server with one bucket, and its address. It takes requests in the name of one user only.
func objectStore(t *testing.T, bucket, user string) (gofakes3.Backend, string) {
	t.Helper()
	store := s3mem.New()
	if err := store.CreateBucket(bucket); err != nil {
		t.Fatal(err)
	}
	serve := gofakes3.New(store).Server()
	var refused atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Authorization"), "Credential="+user+"/") {
			refused.Add(1)
			w.WriteHeader(http.StatusForbidden)
			return
		}
		serve.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		server.Close()
		if n := refused.Load(); n != 0 {
			t.Errorf("%d requests were not in the name of %s", n, user)
		}
	})
	return store, server.URL
}
