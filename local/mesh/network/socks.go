package network

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strconv"
	"syscall"
)

// RFC 1928, of which CONNECT without authentication is all that clients here use.
const (
	socksVersion = 5
	socksConnect = 1
	noPassword   = 0

	byIPv4, byName, byIPv6 = 1, 3, 4

	granted, unreachable, refused = 0, 4, 5
)

var errSOCKS = errors.New("not a SOCKS 5 client that connects without a password")

func greetSOCKS(in *bufio.Reader, out io.Writer) (string, func(error) error, error) {
	head := make([]byte, 2) // version, number of methods
	if _, err := io.ReadFull(in, head); err != nil || head[0] != socksVersion {
		return "", nil, errSOCKS
	}
	if _, err := io.CopyN(io.Discard, in, int64(head[1])); err != nil {
		return "", nil, err
	}
	if _, err := out.Write([]byte{socksVersion, noPassword}); err != nil {
		return "", nil, err
	}
	request := make([]byte, 4) // version, command, reserved, kind of address
	if _, err := io.ReadFull(in, request); err != nil || request[1] != socksConnect {
		return "", nil, errSOCKS
	}
	host, err := readHost(in, request[3])
	if err != nil {
		return "", nil, err
	}
	port := make([]byte, 2)
	if _, err := io.ReadFull(in, port); err != nil {
		return "", nil, err
	}
	address := net.JoinHostPort(host, strconv.Itoa(int(binary.BigEndian.Uint16(port))))
	return address, func(failed error) error {
		code := byte(granted)
		switch {
		case errors.Is(failed, syscall.ECONNREFUSED):
			code = refused
		case failed != nil:
			code = unreachable
		}
		_, err := out.Write([]byte{socksVersion, code, 0, byIPv4, 0, 0, 0, 0, 0, 0})
		return err
	}, nil
}

func readHost(in *bufio.Reader, kind byte) (string, error) {
	length := 0
	switch kind {
	case byIPv4:
		length = net.IPv4len
	case byIPv6:
		length = net.IPv6len
	case byName:
		n, err := in.ReadByte()
		if err != nil {
			return "", err
		}
		length = int(n)
	default:
		return "", errSOCKS
	}
	host := make([]byte, length)
	if _, err := io.ReadFull(in, host); err != nil {
		return "", err
	}
	if kind == byName {
		return string(host), nil
	}
	return net.IP(host).String(), nil
}
