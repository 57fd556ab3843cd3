package job

import (
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
}

// Storage is the world's durable storage: it outlives JobManagers.
type Storage struct {
	snapshots map[string]Snapshot
	results   map[string]Result
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
	return &Storage{snapshots: map[string]Snapshot{}, results: map[string]Result{}}
}

// Get finds a snapshot by its path.
func (s *Storage) Get(path string) (Snapshot, bool) {
	found, ok := s.snapshots[strings.TrimSuffix(path, "/")]
	return found, ok
}

// Put stores a snapshot: also how a test places one that no job of the model made.
func (s *Storage) Put(snapshot Snapshot) { s.snapshots[snapshot.Path] = snapshot }

// Remove deletes a snapshot's files, and says whether they were there.
func (s *Storage) Remove(path string) bool {
	_, ok := s.Get(path)
	delete(s.snapshots, strings.TrimSuffix(path, "/"))
	return ok
}

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
