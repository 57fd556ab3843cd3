package event

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"

	"github.com/kn-flink/kn-flink/pkg/fail"
)

// extSignature is the extension with the signature of an event of ours.
const extSignature = "knflinksignature"

// signed are the types that one function sends another. An event of another type speaks of an object of the API server,
// or is a tick.
var signed = []string{TypePassRequested, TypeUploadRequested, TypeShard}

const (
	// spread is how long a new key may need to reach every pod: kubelets look for changed Secrets each minute or two.
	// Until it is over, events are signed with the key before, and accepted unsigned where there was none.
	spread = 10 * time.Minute
	// signatureLife is how old a signed event may be. A durable Broker may hold one back for a while; an older one is of
	// no use, and may be a copy that somebody kept.
	signatureLife = time.Hour
	// keysFor is how long keys that were read are used before the files are read again.
	keysFor = 10 * time.Second
)

// Keys are those by which the functions sign what they send each other, so that a pod that reaches a Broker or a
// function cannot ask for work in their name. They are read from the folder that Secret flink-event-key is mounted
// at. No folder, or an empty one: nothing is signed, and nothing is asked of events. Safe for concurrent use; nil is
// no folder.
type Keys struct {
	// Dir is where the Secret is mounted; empty: nowhere.
	Dir string
	// Now is the clock.
	Now func() time.Time

	mu   sync.Mutex
	read time.Time
	set  keySet
}

// keySet is what the Secret holds: hexadecimal text in files token and token-before, and in token-made when token was
// made.
type keySet struct {
	now, before []byte
	made        time.Time
}

// keys reads the files, at most once in keysFor.
func (k *Keys) keys() keySet {
	if k == nil || k.Dir == "" {
		return keySet{}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.Now().Sub(k.read) < keysFor {
		return k.set
	}
	k.read, k.set = k.Now(), keySet{}
	text := func(name string) string {
		b, err := os.ReadFile(filepath.Join(k.Dir, name))
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(b))
	}
	made, err := time.Parse(time.RFC3339, text("token-made"))
	now, wrong := hex.DecodeString(text("token"))
	if err != nil || wrong != nil || len(now) < sha256.Size {
		return keySet{}
	}
	k.set = keySet{now: now, made: made}
	if before, err := hex.DecodeString(text("token-before")); err == nil && len(before) >= sha256.Size {
		k.set.before = before
	}
	return k.set
}

// Sign signs an event that one function sends another; others, and all without a key, stay as they are.
func (k *Keys) Sign(e cloudevents.Event) cloudevents.Event {
	set := k.keys()
	if set.now == nil || !slices.Contains(signed, e.Type()) {
		return e
	}
	key := set.now
	if set.before != nil && k.Now().Sub(set.made) < spread {
		key = set.before
	}
	e = e.Clone()
	e.SetExtension(extSignature, base64.RawURLEncoding.EncodeToString(signature(key, e)))
	return e
}

// Check refuses an event that one function seems to send another and that none has signed, as Invalid: it stays wrong
// however often it is sent.
//
//	key                              event                               answer
//	none                             any                                 accepted
//	made less than spread ago,       not signed                          accepted
//	and none before it
//	any                              signed with it or the one before    accepted, if it is not older than signatureLife
//	any                              otherwise                           refused
func (k *Keys) Check(e cloudevents.Event) error {
	set := k.keys()
	if set.now == nil || !slices.Contains(signed, e.Type()) {
		return nil
	}
	text := extension(e, extSignature)
	if text == "" && set.before == nil && k.Now().Sub(set.made) < spread {
		return nil
	}
	given, err := base64.RawURLEncoding.DecodeString(text)
	for _, key := range [][]byte{set.now, set.before} {
		if err != nil || key == nil || !hmac.Equal(given, signature(key, e)) {
			continue
		}
		if age := k.Now().Sub(e.Time()); age > signatureLife || age < -signatureLife {
			return fail.Invalidf(
				"read event", "OldEvent", "event %s is of %s, more than %s away", e.ID(), e.Time(), signatureLife,
			)
		}
		return nil
	}
	return fail.Invalidf(
		"read event", "UnsignedEvent", "event %s of type %s from %q has no signature of a function of this installation "+
			"(extension %s)", e.ID(), e.Type(), e.Source(), extSignature,
	)
}

// signature covers all that a receiver takes from an event, each part with its length. JSON counts as compacted: a
// Broker may print it in another way.
func signature(key []byte, e cloudevents.Event) []byte {
	mac := hmac.New(sha256.New, key)
	data := e.Data()
	var compact bytes.Buffer
	if json.Compact(&compact, data) == nil {
		data = compact.Bytes()
	}
	at, err := e.Time().UTC().MarshalText()
	if err != nil {
		at = nil
	}
	for _, part := range [][]byte{
		[]byte(e.Type()), []byte(e.Source()), []byte(e.ID()), []byte(e.Subject()), []byte(extension(e, extReason)), at,
		data,
	} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		mac.Write(length[:])
		mac.Write(part)
	}
	return mac.Sum(nil)
}
