// Package reach says which network addresses may be reached for somebody else: a user names a URL, and what is behind
// it must not be the machine, the cluster or the cloud that the request comes from.
//
// PURE leaf: it resolves no names. Whoever connects asks AllowList.Permits of the very address that is dialled: a name
// that was looked up before has other addresses a moment later.
//
// Invariant: an address that is in no table may not be reached.
//
// Start reading at AllowList.Permits.
package reach
