#!/usr/bin/env bash
# copy-database.sh [--compare] SOURCE TARGET
#
# Copies all rows of the service from a PostgreSQL server to a new Citus cluster, and compares both.
# With --compare it only compares. Both databases have the same migrations and functions, and both
# are connection strings of the role that owns the tables, such as service=NAME. Do not pass a password:
# every account of the machine can read arguments. Store it in ~/.pgpass. The source is only read. The copy is one
# transaction: after a failure, the target is as before.
set -euo pipefail

compares_only=
if [ "${1:-}" = --compare ]; then
  compares_only=yes
  shift
fi
if [ $# != 2 ]; then
  echo 'usage: copy-database.sh [--compare] SOURCE TARGET' >&2
  exit 2
fi
source_url=$1
target_url=$2
# Equal rows must have equal texts on both sides, and a copy has no time limit.
export PGTZ=UTC PGDATESTYLE=ISO
export PGOPTIONS='-c client_min_messages=warning -c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0 -c extra_float_digits=1 -c bytea_output=hex'

run() { psql "$1" -X -q -A -t -v ON_ERROR_STOP=1; }
of_source() { run "$source_url" <<<"$1"; }
of_target() { run "$target_url" <<<"$1"; }
fail() {
  echo "copy-database.sh: $1" >&2
  exit 1
}

# Each database has its own records of migrations and functions.
is_copied() { echo "$1 NOT LIKE 'knex\_%' AND $1 NOT LIKE 'schema\_functions%'"; }

# Each table with its columns, for example "users|environment_id, user_id". Referenced tables first.
tables=$(of_source "
  WITH RECURSIVE ordered (id, depth) AS (
    SELECT c.oid, 0 FROM pg_class c
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND $(is_copied c.relname)
     UNION ALL
    SELECT k.conrelid, o.depth + 1 FROM ordered o
      JOIN pg_constraint k ON k.confrelid = o.id AND k.contype = 'f' AND k.conrelid <> k.confrelid
  )
  SELECT id::regclass, (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
                         WHERE attrelid = id AND attnum > 0 AND NOT attisdropped AND attgenerated = '')
    FROM ordered GROUP BY id ORDER BY max(depth), id::regclass::text")

sequences="SELECT format('%I', sequencename) AS name, last_value FROM pg_sequences
            WHERE schemaname = 'public' AND $(is_copied sequencename) AND last_value IS NOT NULL"

# Prints a statement for each table. TABLE and COLUMNS stand for the table and its columns.
for_each_table() {
  local table columns statement
  while IFS='|' read -r table columns; do
    statement=${1//TABLE/$table}
    echo "${statement//COLUMNS/$columns}"
  done <<<"$tables"
}

# Tables with rows that the migrations insert. The environment of the simulated bank is -1.
made_by_migrations='companies|environments|project_figures_turn|contribution_totals_turn'

check_both() {
  local expected found url
  # The migrations, and the last text of each file of functions and privileges.
  local query="SELECT name, '' FROM knex_migrations UNION ALL
    (SELECT DISTINCT ON (file) file, encode(sha256, 'hex') FROM schema_functions ORDER BY file, number DESC)
    ORDER BY 1"
  expected=$(of_source "$query")
  found=$(of_target "$query")
  [ "$expected" = "$found" ] ||
    fail 'the migrations or functions of the databases differ: run npm run migrate for both, with the same version'
  query="SELECT count(*) FROM pg_extension WHERE extname = 'citus'"
  # Otherwise, workers would number new rows like the workers of the source.
  found=$(of_source "$query")
  [ "$found" = 0 ] || fail 'the source is a Citus cluster'
  found=$(of_target "$query")
  [ "$found" = 1 ] || fail 'the target is not a Citus cluster'
  for url in "$source_url" "$target_url"; do
    found=$(run "$url" <<<"SELECT count(*) FROM pg_stat_activity
                            WHERE datname = current_database() AND application_name LIKE 'contribution-service%'")
    [ "$found" = 0 ] || fail 'the service is connected to one of the databases: stop all its processes'
  done
}

# The target may have only the rows that the migrations inserted.
check_empty() {
  local found
  found=$({
    for_each_table "SELECT 'TABLE' WHERE EXISTS (SELECT 1 FROM TABLE);" | grep -vE "'($made_by_migrations)'"
    echo "SELECT 'environments' WHERE EXISTS (SELECT 1 FROM environments WHERE environment_id > 0);"
  } | run "$target_url")
  [ -z "$found" ] || fail "the target has rows in: $(echo $found). Nothing was changed."
}

# Prints the target's commands and the source's rows, all from one snapshot of the source. If the
# source fails, COMMIT is missing, and the target changes nothing.
print_copy() {
  {
    echo 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;'
    echo '\echo BEGIN;'
    # Reference and distributed tables change in one transaction.
    echo "\\echo SET LOCAL citus.multi_shard_modify_mode = 'sequential';"
    # Referencing tables first.
    for_each_table '\echo DELETE FROM TABLE;' | grep -E " ($made_by_migrations);" | tac
    for_each_table "\\echo COPY TABLE (COLUMNS) FROM STDIN;
COPY (SELECT COLUMNS FROM TABLE) TO STDOUT;
\\echo '\\\\.'"
    # The coordinator continues the numbering. Workers have separate ranges.
    echo "SELECT format('SELECT setval(%L, %s);', name, last_value) FROM ($sequences) AS s;"
    echo '\echo COMMIT;'
  } | run "$source_url"
}

# Prints a line for each table: its name, its number of rows and a checksum.
print_sums() {
  {
    for_each_table "SELECT 'TABLE', count(*) || ' rows', 'checksum ' ||
      COALESCE(sum(('x' || left(md5(ROW(COLUMNS)::text), 15))::bit(60)::bigint), 0) FROM TABLE;"
    echo "SELECT name, 'continues after ' || last_value FROM ($sequences) AS s ORDER BY 1;"
  } | run "$1"
}

compare() {
  local expected found
  expected=$(print_sums "$source_url")
  found=$(print_sums "$target_url")
  echo "$expected"
  if ! diff <(echo "$expected") <(echo "$found") >&2; then
    fail 'the databases differ ("<" is the source, ">" the target): do not use the target'
  fi
  echo 'Both databases are equal.'
}

check_both
if [ -z "$compares_only" ]; then
  check_empty
  print_copy | run "$target_url" >/dev/null
fi
compare
