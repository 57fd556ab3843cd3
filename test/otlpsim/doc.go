// Package otlpsim is a receiver of OTLP for tests: what a collector would have got, and how it would add up.
//
// I/O: it listens on the loopback interface. It takes messages as the OpenTelemetry specification has them and refuses
// what a backend would refuse. Start reading at New.
package otlpsim
