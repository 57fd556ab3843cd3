package job

import (
	"slices"
	"sort"
	"strings"
	"time"
)

// Snapshot is a completed checkpoint or savepoint that lies in durable storage.
type Snapshot struct {
	// Path is where it lies.
	Path string
	// JobID is the job that made it.
	JobID string
	// CheckpointID is its number in that job.
	CheckpointID int64
	// Savepoint says that it is a savepoint.
	Savepoint bool
	// Progress is how far the job was.
	Progress int64
	// At is when it was completed.
	At time.Time
	// BuiltOn are the paths of those whose files it needs, see Options.Claim.
	BuiltOn []string
}

// Storage is the world's durable storage: it outlives JobManagers.
type Storage struct {
	snapshots map[string]Snapshot
	results   map[string]Result
	disposed  map[string]bool
}

// Result is an entry of a job result store.
type Result struct {
	// End is the state in which the job ended.
	End State
	// Dirty says that it has not been cleared up after the job.
	Dirty bool
}

// NewStorage returns an empty storage.
func NewStorage() *Storage {
	return &Storage{snapshots: map[string]Snapshot{}, results: map[string]Result{}, disposed: map[string]bool{}}
}

// Get finds a snapshot by its path, if all of its files are there.
func (s *Storage) Get(path string) (Snapshot, bool) {
	found, ok := s.snapshots[strings.TrimSuffix(path, "/")]
	return found, ok && !slices.ContainsFunc(found.BuiltOn, s.Disposed)
}

// Put stores a snapshot: also how a test places one that no job of the model made.
func (s *Storage) Put(snapshot Snapshot) { s.snapshots[snapshot.Path] = snapshot }

// Remove deletes a snapshot, and says whether it was there. Files that others are built on stay, as with Flink, which
// counts who needs them.
func (s *Storage) Remove(path string) bool {
	_, ok := s.Get(path)
	delete(s.snapshots, strings.TrimSuffix(path, "/"))
	return ok
}

// Dispose deletes a snapshot with all of its files, whoever is built on them, and says whether it was there.
func (s *Storage) Dispose(path string) bool {
	ok := s.Remove(path)
	if ok {
		s.disposed[strings.TrimSuffix(path, "/")] = true
	}
	return ok
}

// Lacks is a snapshot that was disposed of, and whose files a snapshot needs: itself, or one that it is built on.
// Empty: there is none.
func (s *Storage) Lacks(path string) string {
	path = strings.TrimSuffix(path, "/")
	for _, needed := range append([]string{path}, s.snapshots[path].BuiltOn...) {
		if s.Disposed(needed) {
			return needed
		}
	}
	return ""
}

// Disposed says whether a snapshot was deleted with all of its files.
func (s *Storage) Disposed(path string) bool { return s.disposed[strings.TrimSuffix(path, "/")] }

// Snapshots returns what is stored, ordered by path.
func (s *Storage) Snapshots() []Snapshot {
	all := make([]Snapshot, 0, len(s.snapshots))
	for _, snapshot := range s.snapshots {
		all = append(all, snapshot)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Path < all[j].Path })
	return all
}

// RecordResult writes a job's end into a job result store (job-result-store.storage-path).
func (s *Storage) RecordResult(store, jobID string, result Result) {
	s.results[store+"/"+jobID] = result
}

// ForgetResult deletes it.
func (s *Storage) ForgetResult(store, jobID string) { delete(s.results, store+"/"+jobID) }

// Result reads a job's end from a job result store.
func (s *Storage) Result(store, jobID string) (Result, bool) {
	result, ok := s.results[store+"/"+jobID]
	return result, ok
}

// Ended says whether any job result store has a job's end.
func (s *Storage) Ended(jobID string) bool {
	for name := range s.results {
		if strings.HasSuffix(name, "/"+jobID) {
			return true
		}
	}
	return false
}
