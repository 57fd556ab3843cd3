package render

import "github.com/kn-flink/kn-flink/pkg/flinkconf/key"

func (b *builder) jobManagerMebibytes() int64 {
	return read(&b.reader, key.JobManagerProcessMemory, b.conf.Memory) >> 20
}
