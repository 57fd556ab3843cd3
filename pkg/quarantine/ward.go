package quarantine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sync/semaphore"
)

const (
	// Most is how many deaths are enough.
	Most = 2
	// slot is how many bytes a note has, and slots how many there are; what finds none is not noted.
	slot  = 1 << 10
	slots = 512
	// all is the weight of whoever is at work alone.
	all = 1 << 20
	// kept is how many keys are remembered; those that died last.
	kept = 1000
)

// The files of the directory.
const (
	atWork = "at-work"
	deaths = "deaths"
)

// Death is what is remembered of a key.
type Death struct {
	// Count is in how many deaths of the process it was at work.
	Count int `json:"count"`
	// Generation is that of the resource then; zero: it had not been read.
	Generation int64 `json:"generation,omitempty"`
}

// Ward knows what is at work in this process, and what was when others before it died. Safe for concurrent use.
type Ward struct {
	places *semaphore.Weighted
	dir    string

	mu   sync.Mutex
	file *os.File
	free []int64
	died map[string]Death
}

// note is what a slot has.
type note struct {
	Key        string `json:"key"`
	Generation int64  `json:"generation,omitempty"`
}

// Open reads what a process before this one has left in the directory. It fails where the directory cannot be written
// to. Files that cannot be read are begun again.
func Open(dir string) (*Ward, error) {
	w := &Ward{places: semaphore.NewWeighted(all), dir: dir, died: map[string]Death{}}
	if text, err := os.ReadFile(filepath.Join(dir, deaths)); err == nil {
		if len(text) > kept*slot || json.Unmarshal(text, &w.died) != nil {
			w.died = map[string]Death{}
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read what earlier processes died of: %w", err)
	}
	left, err := leftIn(filepath.Join(dir, atWork))
	if err != nil {
		return nil, err
	}
	for _, n := range left {
		d := w.died[n.Key]
		if n.Generation != 0 && d.Generation != n.Generation {
			if d.Generation != 0 {
				d.Count = 0
			}
			d.Generation = n.Generation
		}
		d.Count++
		w.died[n.Key] = d
	}
	if len(left) > 0 {
		if err := w.store(); err != nil {
			return nil, err
		}
	}
	if w.file, err = os.OpenFile(filepath.Join(dir, atWork), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600); err != nil {
		return nil, fmt.Errorf("note what is at work: %w", err)
	}
	for i := range int64(slots) {
		w.free = append(w.free, i*slot)
	}
	return w, nil
}

// leftIn are the notes of a process that has died.
func leftIn(path string) (left []note, err error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what was at work: %w", err)
	}
	defer file.Close()
	text := make([]byte, slots*slot)
	n, _ := file.ReadAt(text, 0) // what is there; it is not longer
	for at := 0; at+slot <= n; at += slot {
		var one note
		if json.Unmarshal([]byte(strings.TrimRight(string(text[at:at+slot]), "\x00")), &one) == nil && one.Key != "" {
			left = append(left, one)
		}
	}
	return left, nil
}

// store writes the deaths. It is called with the lock, or before anybody else knows the ward.
func (w *Ward) store() error {
	for key := range w.died {
		if len(w.died) <= kept {
			break
		}
		delete(w.died, key)
	}
	text, err := json.Marshal(w.died)
	if err != nil {
		return err
	}
	path := filepath.Join(w.dir, deaths)
	if err := os.WriteFile(path+".next", text, 0o600); err != nil {
		return fmt.Errorf("store what processes died of: %w", err)
	}
	return os.Rename(path+".next", path)
}

// Visit is a piece of work.
type Visit struct {
	ward *Ward
	note note
	died Death
	// at is the slot; -1: none was free.
	at     int64
	weight int64
}

// Begin notes that work on a key begins; generation is that of the resource, zero until it is read. A key that was at
// work in a death waits until it is alone. It fails when the context ends before that.
func (w *Ward) Begin(ctx context.Context, key string, generation int64) (*Visit, error) {
	if w == nil {
		return nil, nil
	}
	w.mu.Lock()
	v := &Visit{ward: w, note: note{Key: key}, died: w.died[key], at: -1, weight: 1}
	w.mu.Unlock()
	if v.Suspect() && !v.Held() {
		v.weight = all
	}
	if err := w.places.Acquire(ctx, v.weight); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.free); n > 0 && len(key) < slot/2 {
		v.at, w.free = w.free[n-1], w.free[:n-1]
	}
	if v.Of(generation); generation == 0 {
		v.write()
	}
	return v, nil
}

// Of notes the generation of what is worked on, when it is known; zero is not. Deaths of another one do not count.
func (v *Visit) Of(generation int64) {
	if v == nil || generation == 0 {
		return
	}
	if v.note.Generation = generation; v.died.Generation != 0 && v.died.Generation != generation {
		v.died = Death{}
	}
	v.write()
}

// write notes it. Nothing depends on it until the process dies, and a full disk must not end work.
func (v *Visit) write() {
	text, err := json.Marshal(v.note)
	if v.at < 0 || err != nil || len(text) > slot {
		return
	}
	padded := make([]byte, slot)
	copy(padded, text)
	_, _ = v.ward.file.WriteAt(padded, v.at)
}

// Held reports whether there were deaths enough for nothing to be done.
func (v *Visit) Held() bool { return v != nil && v.died.Count >= Most }

// Unread reports whether it died of reading the resource: its generation is not known.
func (v *Visit) Unread() bool { return v != nil && v.died.Generation == 0 }

// Suspect reports whether it was at work in a death.
func (v *Visit) Suspect() bool { return v != nil && v.died.Count > 0 }

// End notes that the process has lived through it. What was held stays so.
func (v *Visit) End() {
	if v == nil {
		return
	}
	w := v.ward
	w.mu.Lock()
	if v.at >= 0 {
		_, _ = w.file.WriteAt(make([]byte, slot), v.at)
		w.free = append(w.free, v.at)
	}
	if _, known := w.died[v.note.Key]; known && !v.Held() {
		delete(w.died, v.note.Key)
		_ = w.store() // it is one death more for that key at the worst
	}
	w.mu.Unlock()
	w.places.Release(v.weight)
}
