// Package jarsource opens the jar of a session job: the one that its jarURI names, or an empty one where the code is on
// the class path of the cluster's image.
//
// Leaf, I/O: it reads from HTTP servers that users name. It must not decide when to fetch, repeat a request, log, or
// hold a jar in memory or on disk.
//
// Invariants:
//   - an address is checked when it is dialled, so neither a redirect nor a second answer of DNS leads to one that is
//     not allowed;
//   - credentials (Policy.Header, and a user in the URI) go to the first host only, and never from https to http;
//   - the end of a Jar is the end of the whole file: a body that broke off, stalled or is too large ends with an error;
//   - no error has the user or a query value of a URL, or the value of a header.
//
// Behind a proxy (HTTP_PROXY, HTTPS_PROXY, NO_PROXY) the proxy resolves names and opens connections: which addresses
// may be reached is the proxy's to decide, and Policy.Allowed and AnyAddress have no effect. A host that NO_PROXY names
// is dialled from here, and checked. TLS trusts the system's roots: SSL_CERT_FILE and SSL_CERT_DIR name other ones.
//
// The kind of an error (pkg/fail) says whether trying again can help:
//
//	what                                                  kind       reason               try again
//	the URI, its scheme, or a header cannot be used       Invalid    JarURIInvalid        after a change of the spec
//	an address that is not allowed                        Denied     JarHostRestricted    rarely
//	a name that does not exist                            Denied     JarHostUnknown       rarely
//	a redirect too many, to http, or to nowhere           Denied     JarRedirectRefused   rarely
//	401, 403, 407                                         Denied     JarForbidden         rarely
//	404, 410                                              Denied     JarNotFound          rarely
//	any other status, no jar, or one of unknown length    Denied     JarUnreadable        rarely
//	more than Policy.MaxBytes                             Denied     JarTooLarge          rarely
//	a proxy's URL that is not valid                       Denied     Unreachable          rarely
//	TLS that one side does not accept                     Denied     CertificateUntrusted rarely
//	408, 425, 429, 5xx                                    Transient  JarServerFailed      soon
//	no connection, or it broke off                        Transient  Unreachable          soon
//	no byte for Policy.Stall, or the context's deadline   Transient  Timeout              soon
//	the context was cancelled                             Transient  Canceled             soon
//
// Start reading at Open.
package jarsource
