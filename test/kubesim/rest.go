package kubesim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	kjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// route is what a URL path names.
type route struct {
	resource    Resource
	known       bool
	namespace   string
	name        string
	subresource string
}

// parsePath reads /api/v1/… and /apis/<group>/<version>/….
func (s *Server) parsePath(path string) route {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	var gv schema.GroupVersion
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		gv, parts = schema.GroupVersion{Version: parts[1]}, parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		gv, parts = schema.GroupVersion{Group: parts[1], Version: parts[2]}, parts[3:]
	default:
		return route{}
	}
	var r route
	if parts[0] == "namespaces" && len(parts) > 2 && parts[2] != "status" {
		r.namespace, parts = parts[1], parts[2:]
	}
	r.resource, r.known = s.resourceOf(gv.WithResource(parts[0]))
	r.resource.GVR = gv.WithResource(parts[0])
	if len(parts) > 1 {
		r.name = parts[1]
	}
	if len(parts) > 2 {
		r.subresource = strings.Join(parts[2:], "/")
	}
	return r
}

func verbOf(r *http.Request, named bool) string {
	switch r.Method {
	case http.MethodGet:
		if named {
			return "get"
		}
		return "list"
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodPatch:
		if strings.HasPrefix(r.Header.Get("Content-Type"), string(types.ApplyPatchType)) {
			return "apply"
		}
		return "patch"
	}
	return strings.ToLower(r.Method)
}

// Try is the verb of a dry run as the Tap sees it: a fault of writes is not one of what is only judged.
const Try = "try"

// system is this server as the Tap sees it.
func (s *Server) system() wire.System {
	return wire.System{
		Name: "kube", Handler: http.HandlerFunc(s.serve),
		Classify: func(r *http.Request) wire.Request {
			at, verb := s.parsePath(r.URL.Path), ""
			if verb = verbOf(r, at.name != ""); r.URL.Query().Get("dryRun") != "" {
				verb = Try
			}
			return wire.Request{
				Path: r.URL.RequestURI(), Verb: verb, Resource: at.resource.GVR.Resource,
				Subresource: at.subresource, Namespace: at.namespace, Name: at.name,
			}
		},
		Refuse: func(w http.ResponseWriter, status int) {
			refuse(w, Injected(status))
		},
	}
}

// Injected is a refusal that a test asked for. A client that is to come again learns when, but not from a Retry-After
// header: client-go would wait for it in real time.
func Injected(status int) error {
	switch status {
	case http.StatusTooManyRequests:
		return tooManyRequests()
	case http.StatusGatewayTimeout:
		return timedOut()
	}
	return apierrors.NewGenericServerResponse(status, "", schema.GroupResource{}, "", "injected by the test", 0, false)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("watch") != "" {
		refuse(w, apierrors.NewMethodNotSupported(s.parsePath(r.URL.Path).resource.groupResource(), "watch"))
		return
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		refuse(w, apierrors.NewBadRequest(err.Error()))
		return
	}
	verb := verbOf(r, s.parsePath(r.URL.Path).name != "")
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	answer, content, err := s.Do(r.URL.Path, Request{
		Verb: verb, Query: r.URL.Query(), Manager: managerOf(r, verb), Kind: types.PatchType(kind), Text: text,
	})
	if err != nil {
		refuse(w, err)
		return
	}
	if answer.Effect != "" {
		wire.Note(r.Context(), answer.Effect)
	}
	reply(w, answer.Status, content)
}

// describe names an effect: the verb, the resource with its subresource, the object.
func describe(verb string, at route, answer any) string {
	resource, name := at.resource.GVR.Resource, at.name
	if at.subresource != "" {
		resource += "/" + at.subresource
	}
	if content, ok := answer.(map[string]any); ok && name == "" {
		name = (&unstructured.Unstructured{Object: content}).GetName()
	}
	return fmt.Sprintf("%s %s %s/%s", verb, resource, at.namespace, name)
}

// Request is what a client asks for, however it came.
type Request struct {
	// Verb is get, list, create, update, patch, apply or delete.
	Verb string
	// Query has the parameters of the URL.
	Query url.Values
	// Manager is the field manager.
	Manager string
	// Kind is that of a patch.
	Kind types.PatchType
	// Text is the body.
	Text []byte
	// Object stands for the text of a create or an update that comes without HTTP. It is not written to.
	Object *unstructured.Unstructured

	at route
}

// Do carries out one request without HTTP, at a path below the API server's root, and says whether anything changed, as
// the text of an effect. The answer is what is stored: it must not be written to.
func (s *Server) Do(path string, q Request) (answer wire.Answer, content any, err error) {
	q.at = s.parsePath(path)
	if !q.at.known || q.at.subresource != "" && (q.at.subresource != "status" || !q.at.resource.Status) {
		err := apierrors.NewGenericServerResponse(http.StatusNotFound, "", schema.GroupResource{}, "", "", 0, false)
		if !q.at.known { // what client-go makes of the plain text with which the API server answers
			err.ErrStatus.Details.Causes = []metav1.StatusCause{{
				Type: metav1.CauseTypeUnexpectedServerResponse, Message: "404 page not found",
			}}
		}
		return wire.Answer{Status: http.StatusNotFound}, nil, err
	}
	if len(q.Text) > largestRequest {
		return wire.Answer{Status: http.StatusRequestEntityTooLarge}, nil, requestTooLarge()
	}
	status, content, changed, err := s.dispatch(q)
	if err != nil {
		err = &apierrors.StatusError{ErrStatus: statusOf(err)}
		return wire.Answer{Status: int(statusOf(err).Code)}, nil, err
	}
	answer.Status = status
	if changed {
		answer.Effect = describe(q.Verb, q.at, content)
	}
	return answer, content, nil
}

// parse reads the object that a request brings.
func (q Request) parse() (*unstructured.Unstructured, error) {
	if q.Object != nil {
		return q.Object, nil
	}
	u := &unstructured.Unstructured{}
	if err := kjson.Unmarshal(q.Text, &u.Object); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return u, nil
}

// dispatch runs one request with the lock and returns the HTTP status, the answer and whether anything changed. The
// answer to a read is what is stored: it must not be written to.
func (s *Server) dispatch(q Request) (int, any, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	verb, at := q.Verb, q.at
	w := write{
		resource: at.resource, namespace: at.namespace, name: at.name, status: at.subresource == "status",
		manager: q.Manager, client: true, dry: q.Query.Get("dryRun") != "",
	}
	switch {
	case w.dry && verb != "create" && verb != "patch" && verb != "apply":
		return 0, nil, false, apierrors.NewMethodNotSupported(at.resource.groupResource(), "dryRun of "+verb)
	case verb == "list":
		list, err := s.list(at.resource, at.namespace, q.Query)
		return http.StatusOK, list, false, err
	case verb == "get":
		u, ok := s.objects[key{at.resource.GVR, at.namespace, at.name}]
		if !ok {
			return 0, nil, false, apierrors.NewNotFound(at.resource.groupResource(), at.name)
		}
		return http.StatusOK, u.Object, false, nil
	case verb == "create" && at.name == "":
		u, err := q.parse()
		if err != nil {
			return 0, nil, false, err
		}
		u, changed, err := s.createAs(w, u)
		return answered(http.StatusCreated, u, changed, err)
	case verb == "update" && at.name != "":
		w.replace = true
		u, changed, err := s.put(w, q)
		return answered(http.StatusOK, u, changed, err)
	case (verb == "patch" || verb == "apply") && at.name != "":
		u, changed, created, err := s.patch(w, q.Kind, q.Text, q.Query.Get("force") == "true")
		if created {
			return answered(http.StatusCreated, u, changed, err)
		}
		return answered(http.StatusOK, u, changed, err)
	case verb == "delete" && at.name != "" && at.subresource == "":
		return s.delete(w, q.Text, q.Query.Get("propagationPolicy"))
	}
	return 0, nil, false, apierrors.NewMethodNotSupported(at.resource.groupResource(), verb)
}

func answered(status int, u *unstructured.Unstructured, changed bool, err error) (int, any, bool, error) {
	if err != nil {
		return 0, nil, false, err
	}
	return status, u.Object, changed, nil
}

// managerOf is the fieldManager parameter, or else the first word of the user agent; an apply must name it.
func managerOf(r *http.Request, verb string) string {
	if manager := r.URL.Query().Get("fieldManager"); manager != "" || verb == "apply" {
		return manager
	}
	manager, _, _ := strings.Cut(r.Header.Get("User-Agent"), "/")
	return manager
}

func (s *Server) put(w write, q Request) (*unstructured.Unstructured, bool, error) {
	body, err := q.parse()
	if err != nil {
		return nil, false, err
	}
	if body.GetName() != w.name {
		return nil, false, apierrors.NewBadRequest(fmt.Sprintf(
			"the name of the object (%s) does not match the name on the URL (%s)", body.GetName(), w.name))
	}
	return s.update(w, func(u *unstructured.Unstructured) error {
		u.Object = body.Object
		if u.GetNamespace() == "" {
			u.Object = body.DeepCopy().Object
			u.SetNamespace(w.namespace)
		}
		return nil
	})
}

func (s *Server) delete(w write, text []byte, policy string) (int, any, bool, error) {
	options, err := parseDelete(text, policy)
	if err != nil {
		return 0, nil, false, err
	}
	if _, there := s.objects[key{w.resource.GVR, w.namespace, w.name}]; there {
		if err := s.judge(w, "delete"); err != nil {
			return 0, nil, false, err
		}
	}
	u, changed, err := s.remove(w.resource, w.namespace, w.name, options)
	if err != nil {
		return 0, nil, false, err
	}
	if _, there := s.objects[key{w.resource.GVR, w.namespace, w.name}]; there {
		return http.StatusOK, u.Object, changed, nil
	}
	return http.StatusOK, metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusSuccess,
		Details: &metav1.StatusDetails{
			Name: w.name, Group: w.resource.GVR.Group, Kind: w.resource.GVR.Resource, UID: u.GetUID(),
		},
	}, changed, nil
}

func parseDelete(text []byte, policy string) (DeleteOptions, error) {
	var body metav1.DeleteOptions
	if len(text) > 0 {
		if err := json.Unmarshal(text, &body); err != nil {
			return DeleteOptions{}, apierrors.NewBadRequest(err.Error())
		}
	}
	options := DeleteOptions{Propagation: metav1.DeletionPropagation(policy), GraceSeconds: body.GracePeriodSeconds}
	if body.PropagationPolicy != nil {
		options.Propagation = *body.PropagationPolicy
	}
	options.Dry = len(body.DryRun) > 0
	if p := body.Preconditions; p != nil && p.UID != nil {
		options.UID = string(*p.UID)
	}
	if p := body.Preconditions; p != nil && p.ResourceVersion != nil {
		options.ResourceVersion = *p.ResourceVersion
	}
	return options, nil
}

func refuse(w http.ResponseWriter, err error) {
	status := statusOf(err)
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	reply(w, int(status.Code), status)
}

func statusOf(err error) metav1.Status {
	var api apierrors.APIStatus
	if !errors.As(err, &api) {
		api = apierrors.NewInternalError(err)
	}
	return api.Status()
}

func reply(w http.ResponseWriter, status int, answer any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		panic(err)
	}
}
