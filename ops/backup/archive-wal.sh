#!/bin/sh
# archive_command = '/etc/contribution-service/archive-wal.sh "%p" "%f" /srv/archive'
#
# Exits with 0 only after the whole segment is on the archive's disk. A partial copy has the suffix
# .part. The script never overwrites a segment. After a crash, PostgreSQL may archive a segment
# twice: the same content succeeds. On any other exit code, PostgreSQL keeps the segment, logs the
# failure and retries.
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
