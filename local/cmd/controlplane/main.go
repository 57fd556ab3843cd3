package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	apiextensionsclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/local/controlplane"
	"github.com/kn-flink/kn-flink/local/mesh/crds"
)

func main() {
	dir := flag.String("dir", "", "state directory: certificates, data, logs")
	flag.Parse()
	if err := run(context.Background(), *dir); err != nil {
		fmt.Fprintln(os.Stderr, "controlplane:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir string) (err error) {
	plane, err := controlplane.Start(ctx, controlplane.Options{Dir: dir})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, plane.Stop()) }()
	definitions := apiextensionsclient.NewForConfigOrDie(plane.Config()).ApiextensionsV1().CustomResourceDefinitions()
	for _, definition := range crds.All() {
		if _, err := definitions.Create(ctx, definition, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	fmt.Println(plane.Kubeconfig())
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
