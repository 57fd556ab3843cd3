package backoff

import "time"

// First is the pause after the first failure.
const First = 10 * time.Second

// After is the pause after the n-th failure in a row: 10 s, 20 s, 40 s and so on, at most most. Without a failure there is none.
func After(failures int32, most time.Duration) time.Duration {
	if failures < 1 {
		return 0
	}
	pause := First
	for range failures - 1 {
		if pause *= 2; pause >= most {
			return most
		}
	}
	return min(pause, most)
}
