package flink

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

// defaultIndex is PyPI's, which a mirror can stand in for: PIP_INDEX_URL, as pip has it.
const defaultIndex = "https://pypi.org/simple"

// project has the jars of every release since 1.11.
const project = "apache-flink-libraries"

// archive is a file of the index (PEP 691).
type archive struct {
	// Name is the file's; URL where it is; Size in bytes, 0 if the index does not say.
	Name string `json:"filename"`
	URL  string `json:"url"`
	Size int64  `json:"size"`
	// Hashes has "sha256".
	Hashes map[string]string `json:"hashes"`
}

func index() string {
	if url := os.Getenv("PIP_INDEX_URL"); url != "" {
		return strings.TrimSuffix(url, "/")
	}
	return defaultIndex
}

// find asks the index for the source archive of a version.
func find(ctx context.Context, index, version string) (archive, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	url := index + "/" + project + "/"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return archive{}, err
	}
	request.Header.Set("Accept", "application/vnd.pypi.simple.v1+json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return archive{}, fmt.Errorf("ask the package index for Flink %s: %w", version, err)
	}
	defer answer.Body.Close()
	var page struct {
		Files []archive `json:"files"`
	}
	if answer.StatusCode != http.StatusOK {
		return archive{}, fmt.Errorf("the package index answers %s for %s", answer.Status, url)
	}
	if err := json.NewDecoder(answer.Body).Decode(&page); err != nil {
		return archive{}, fmt.Errorf("the package index does not answer in JSON (PEP 691) for %s: %w", url, err)
	}
	for _, file := range page.Files {
		// The name's hyphens became underscores between releases.
		if strings.ReplaceAll(file.Name, "_", "-") == project+"-"+version+".tar.gz" {
			if file.Hashes["sha256"] == "" {
				return archive{}, fmt.Errorf("the package index has no SHA-256 of %s", file.Name)
			}
			file.URL, err = absolute(answer.Request, file.URL)
			return file, err
		}
	}
	return archive{}, fmt.Errorf("the package index has no Flink %s: %d other files at %s", version, len(page.Files), url)
}

// absolute resolves a URL that may be relative to the page it is on.
func absolute(page *http.Request, url string) (string, error) {
	resolved, err := page.URL.Parse(url)
	if err != nil {
		return "", fmt.Errorf("the package index has a bad address: %w", err)
	}
	return resolved.String(), nil
}
