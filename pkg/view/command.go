package view

import (
	"slices"
	"strings"
)

// withoutCommand takes the command out of a message that has one; an ellipsis stands in its place where words follow.
// Messages quote what jobs and other programs say: what is no command that the operator would tell for a resource of
// the namespace stays a part of the message.
func withoutCommand(text, namespace string) (message, command string) {
	at := strings.LastIndex(text, ": kubectl ")
	if at < 0 {
		return text, ""
	}
	command, rest := splitCommand(text[at+2:])
	switch {
	case !tells(command, namespace):
		return text, ""
	case rest != "":
		return text[:at] + ": …" + rest, command
	}
	return text[:at], command
}

// splitCommand splits what follows a command off.
//
//	verb          the command ends
//	annotate      after the annotation
//	patch         after the quoted patch
//	any other     before the first word that ends a part of a sentence, or with the text
func splitCommand(text string) (command, rest string) {
	verb := strings.Fields(text)[1:]
	end := len(text)
	switch {
	case len(verb) > 0 && verb[0] == "patch":
		if open := strings.Index(text, " -p '"); open >= 0 {
			if length := strings.Index(text[open+5:], "'"); length >= 0 {
				end = open + 5 + length + 1
			}
		}
	case len(verb) > 0 && verb[0] == "annotate":
		if is := strings.IndexByte(text, '='); is >= 0 {
			end = is + strings.IndexByte(text[is:]+" ", ' ')
		}
	default:
		for _, mark := range []string{". ", "; ", ", ", ": "} {
			if i := strings.Index(text, mark); i >= 0 {
				end = min(end, i)
			}
		}
	}
	end = min(end, len(text))
	command = strings.TrimRight(text[:end], ".;,")
	return command, text[len(command):]
}

// Commands that the operator tells: the verbs, with what they may delete, and the flags.
var (
	toldVerbs = []string{"annotate", "delete", "describe", "edit", "get", "logs", "patch", "scale"}
	toldGone  = []string{"pod", "replicaset"}
	toldFlags = []string{
		"-n", "-p", "-l", "-c", "-o", "--overwrite", "--previous", "--subresource=status", "--type=merge", "--replicas=1",
		"--force", "--grace-period=0",
	}
)

// tells reports whether a command is of the form that messages of the operator have: one verb of kubectl, in one
// namespace, without anything that a shell would make another command or file of.
func tells(command, namespace string) bool {
	plain, quoted := "", false
	for part := range strings.SplitSeq(command, "'") { // each second part is quoted
		if !quoted {
			plain += part + " "
		}
		quoted = !quoted
	}
	words := strings.Fields(plain)
	in := slices.Index(words, "-n")
	if !quoted || strings.ContainsAny(plain, "`$;&|<>()\\\"#!*?~") || len(words) < 4 || in < 0 || in+1 >= len(words) {
		return false
	}
	return slices.Contains(toldVerbs, words[1]) && (words[1] != "delete" || slices.Contains(toldGone, words[2])) &&
		words[in+1] == namespace && !slices.Contains(words[in+1:], "-n") &&
		!slices.ContainsFunc(words, func(w string) bool {
			return strings.HasPrefix(w, "-") && !slices.Contains(toldFlags, w)
		})
}
