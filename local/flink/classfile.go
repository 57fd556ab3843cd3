package flink

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// sizes of the constants in a class file by tag, without the tag (JVM specification, 4.4). 0: of its own length (Utf8).
var sizes = map[byte]int{
	1: 0, 3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2,
}

// replaceConstant is the class file with a string constant replaced. Everything refers to constants by number, so that
// one of another length fits. It fails if the constant is not there exactly once.
func replaceConstant(class []byte, old, replacement string) ([]byte, error) {
	const header = 10 // magic, minor, major, count
	if len(class) < header || binary.BigEndian.Uint32(class) != 0xCAFEBABE {
		return nil, errors.New("no class file")
	}
	count, at, replaced := int(binary.BigEndian.Uint16(class[8:])), header, 0
	var out bytes.Buffer
	out.Write(class[:header])
	for i := 1; i < count; i++ {
		if at+3 > len(class) {
			return nil, errors.New("the class file ends in its constants")
		}
		tag := class[at]
		size, ok := sizes[tag]
		if !ok {
			return nil, fmt.Errorf("unknown constant %d in the class file", tag)
		}
		if tag == 1 {
			size = 2 + int(binary.BigEndian.Uint16(class[at+1:]))
		}
		if at+1+size > len(class) {
			return nil, errors.New("the class file ends in its constants")
		}
		if tag == 1 && string(class[at+3:at+1+size]) == old {
			out.WriteByte(tag)
			out.Write(binary.BigEndian.AppendUint16(nil, uint16(len(replacement))))
			out.WriteString(replacement)
			replaced++
		} else {
			out.Write(class[at : at+1+size])
		}
		at += 1 + size
		if tag == 5 || tag == 6 {
			i++ // long and double take two numbers
		}
	}
	if replaced != 1 {
		return nil, fmt.Errorf("%q is there %d times, not once", old, replaced)
	}
	out.Write(class[at:])
	return out.Bytes(), nil
}
