// Package console walks the pages of pkg/console in a real browser: make browser-test. It is a module of its own,
// because nothing else needs what drives the browser.
//
// I/O: its tests start Chromium, or the program that KNFLINK_BROWSER names, and end it by its process. They serve pages
// of the model API server on a socket of this machine, read axe-core from .local/axe, where make puts it, and write
// pictures of the pages to .local/console.
//
// Start reading at TestEveryPage.
package console
