#!/bin/sh
# archive_command = '/etc/contribution-service/archive-wal.sh "%p" "%f" /srv/archive'
#
# Ends with 0 only when the archive has the whole segment on its disk. A segment never stands there in part under its own name, and
# one that is there is never overwritten: a server that stopped before it had noted the success asks again with the same content.
# Anything else ends with an error; PostgreSQL keeps the segment, says so in its log, and tries again.
set -eu
segment=$1
name=$2
archive=$3

if [ -e "$archive/$name" ]; then
  cmp "$segment" "$archive/$name" >&2
  exit
fi
cp "$segment" "$archive/$name.part"
sync "$archive/$name.part"
mv "$archive/$name.part" "$archive/$name"
sync "$archive"
