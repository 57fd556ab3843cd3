package main

// jars is the section about jars of session jobs; a backquote stands as ^.
const jars = "## Jars of session jobs\n" +
	"\n" +
	"The first four are read from the operator's own configuration alone, without the defaults of namespaces and\n" +
	"Flink versions: no tenant can widen them. ^…^ stands for ^kubernetes.operator.user.artifacts^. What becomes\n" +
	"of a jar is in [Images and jars](../jobs/images-and-jars.md).\n" +
	"\n" +
	"| option | default | effect |\n" +
	"|---|---|---|\n" +
	"| ^….allowed-schemes^ | ^https^ | what a ^jarURI^ may begin with: ^https^, or ^https;http^. No other scheme " +
	"is fetched, even if it is named here |\n" +
	"| ^….disallow-restricted-hosts^ | ^true^ | jars come from public addresses only |\n" +
	"| ^….allowed-hosts^ | none | what may be reached although it is not public, separated by ^;^: a host name " +
	"opens the private addresses that it resolves to; an address, or a network such as ^10.1.0.0/16^, opens " +
	"itself, loopback and link-local included. The Java operator does not have it |\n" +
	"| ^….max-size^ | none | how large a jar may be, such as ^500 mb^; none, and 0, is no bound. The Java " +
	"operator does not have it |\n" +
	"| ^….http.header^ | none | headers of the download, ^name:value^ pairs separated by commas; a resource may " +
	"set it. They go to the host of the ^jarURI^ alone and are shown nowhere. Those of the operator's own configuration " +
	"go to hosts alone that ^allowed-hosts^ has by their name or address, for whoever writes a ^jarURI^ chooses the " +
	"host |\n"
