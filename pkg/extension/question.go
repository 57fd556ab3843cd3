package extension

import (
	"encoding/json"
	"fmt"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Asks is who asks in a question of a pass: request.userInfo.username.
const Asks = "kn-flink:reconcile"

// Question is what a pass asks about a resource that is stored already: it has no user, and no object before.
func Question(
	kind string, gvr schema.GroupVersionResource, resource metav1.Object,
) (*admissionv1.AdmissionRequest, error) {
	text, err := json.Marshal(resource)
	if err != nil {
		return nil, err
	}
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, err
	}
	object["apiVersion"], object["kind"] = gvr.GroupVersion().String(), kind
	if metadata, is := object["metadata"].(map[string]any); is {
		delete(metadata, "managedFields")
	}
	if text, err = json.Marshal(object); err != nil {
		return nil, err
	}
	gvk := metav1.GroupVersionKind{Group: gvr.Group, Version: gvr.Version, Kind: kind}
	of := metav1.GroupVersionResource{Group: gvr.Group, Version: gvr.Version, Resource: gvr.Resource}
	dry := true
	return &admissionv1.AdmissionRequest{
		UID:  types.UID(fmt.Sprintf("%s-%d", resource.GetUID(), resource.GetGeneration())),
		Kind: gvk, RequestKind: &gvk, Resource: of, RequestResource: &of,
		Namespace: resource.GetNamespace(), Name: resource.GetName(), Operation: admissionv1.Update,
		UserInfo: authenticationv1.UserInfo{Username: Asks}, Object: runtime.RawExtension{Raw: text}, DryRun: &dry,
	}, nil
}
