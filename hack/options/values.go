package main

import "strings"

// values is the section about values of options; a backquote stands as ^.
var values = strings.ReplaceAll(`## Values that cannot be read

No value counts as its default because it cannot be read. Each key is read as the option that it is, also one that a
newer spelling or another layer hides:

| it stands in | then |
|---|---|
| a resource | the webhook refuses it, with the key, the value (stars where it may be secret) and the accepted forms |
| a resource, past the webhook | Stalled, ^ValidationFailed^, the same text; a first start waits, nothing else is done |
| the same, and it is deleted | the deletion continues; see below |
| ConfigMap ^flink-operator-config^, in any layer | the last good settings count, and an Event says why |

A job that runs keeps running, whatever its resource says: it is not restarted, upgraded, recovered, or cleaned
up until the value can be read. If ^kubernetes.operator.job.savepoint-on-deletion^ cannot be read, a deletion takes a
savepoint first, with the usual deadline, and an event says why.

A boolean is ^true^ or ^false^, a duration a whole number with a unit (^5 min^), a schedule a duration or a Quartz
cron expression of six or seven fields (^0 0 * * * ?^).

The webhook also refuses what can never run:

- memory that its parts do not fit into;
- two ports of one process that are the same;
- reactive mode outside of standalone applications;
- a ^local://^ URI with a host;
- high availability without ^high-availability.storageDir^;
- for Flink 2, keys that begin another key.

It
warns of ^null^ (Flink gets the text ^null^), of keys without effect, of two spellings of one option, and of keys below
^kubernetes.operator.^ that are no option, with the nearest one.

## Values in flink-conf.yaml

Before Flink 2 the configuration reaches Flink as lines of ^flink-conf.yaml^, which know no escape: from a ^#^ on,
within quotes, too, Flink takes the line for a comment. A key or value with a ^#^ is refused, as is a key with ^: ^ or
white space around it. Line breaks of a value become blanks, and white space around it goes away: the webhook warns of
that. Flink 2 reads everything back as it is written. Flink's own loaders, 1.15 to 2.3, were asked
(^test/confrecord^).

`, "^", "`")
