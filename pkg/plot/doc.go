// Package plot draws lines over time as SVG, for pages that allow no inline style and for readers who do not see
// colours: lines differ by their dashes, too, and a title and a description say what is drawn.
//
// PURE: figures in, a text out. Each text that it is given is escaped.
//
// Start reading at Chart.
package plot
