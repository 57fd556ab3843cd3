package v1beta1

//go:generate go tool controller-gen object paths=.
//go:generate go run ../../../../hack/crds -types . -out ../../../../config/crds
