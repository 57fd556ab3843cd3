package flink

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// releases are the newest patch of each minor version, for tags without a patch. Any other patch is fetched by its
// number.
var releases = map[string]string{
	"1.15": "1.15.4",
	"1.16": "1.16.3",
	"1.17": "1.17.2",
	"1.18": "1.18.1",
	"1.19": "1.19.3",
	"1.20": "1.20.5",
	"2.0":  "2.0.2",
	"2.1":  "2.1.3",
	"2.2":  "2.2.1",
	"2.3":  "2.3.0",
}

// Latest is what the tag "latest" means.
const Latest = "2.3.0"

// tag is a version as the official image's tags have it: the Scala and Java versions after it make no difference here.
var tag = regexp.MustCompile(`^(\d+\.\d+)(\.\d+)?(-scala_[\d.]+)?(-java\d+)?$`)

// Resolve is the release that an image tag or a version names: "1.20", "1.20.5", "2.2-java17", "latest".
func Resolve(name string) (string, error) {
	if name == "latest" || name == "" {
		return Latest, nil
	}
	parts := tag.FindStringSubmatch(name)
	if parts == nil {
		return "", fmt.Errorf("%q is no version of Flink: use one like 1.20, 1.20.5 or 2.2-java17", name)
	}
	if parts[2] != "" {
		return parts[1] + parts[2], nil
	}
	version, ok := releases[parts[1]]
	if !ok {
		return "", fmt.Errorf("Flink %s is not known here: use one of %s", parts[1], strings.Join(Minors(), ", "))
	}
	return version, nil
}

// Minors are the minor versions that Resolve knows, oldest first.
func Minors() []string {
	var all []string
	for minor := range releases {
		all = append(all, minor)
	}
	slices.SortFunc(all, func(a, b string) int {
		var am, an, bm, bn int
		_, _ = fmt.Sscanf(a, "%d.%d", &am, &an)
		_, _ = fmt.Sscanf(b, "%d.%d", &bm, &bn)
		return 1000*(am-bm) + an - bn
	})
	return all
}
