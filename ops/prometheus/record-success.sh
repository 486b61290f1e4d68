#!/bin/sh
# record-success.sh FOLDER TASK COMMAND…
#
# Runs the command. If it exits with 0, the script writes the time to FOLDER, from which the textfile
# collector of node_exporter reads it. Otherwise the last time stays, and the script exits with the
# command's exit code.
set -eu
folder=$1
task=$2
shift 2

"$@"

file=$folder/contribution_$task.prom
metric=contribution_task_last_success_timestamp_seconds
cat > "$file.part" <<END
# HELP $metric When the task last succeeded (Unix time).
# TYPE $metric gauge
$metric{task="$task"} $(date +%s)
END
chmod 644 "$file.part"
mv "$file.part" "$file"
