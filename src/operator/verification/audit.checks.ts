import { check, problemsOf } from './verification-check';

/** A head of the audit log that was stored elsewhere. */
export interface KeptHead {
  position: number;
  /** 64 hexadecimal digits. */
  hash: string;
}

const time = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;
const keptHead = new RegExp(String.raw`^\s*(\d{1,15}):([0-9a-f]{64})(?:\s+${time})?\s*$`);
const keptTime = new RegExp(`^${time}$`);

/**
 * Whether the text is the time that `actions head` prints after a head. The time is ignored,
 * because the hash covers it.
 */
export const isTimeOfHead = (text: string): boolean => keptTime.test(text);

/**
 * Parses a line of `actions head`, such as `12:9f86… 2026-11-22T18:00:00.123456Z`; the time is
 * optional.
 */
export function parseKeptHead(text: string): KeptHead | undefined {
  const [, position, hash] = keptHead.exec(text) ?? [];
  return position === undefined || hash === undefined ? undefined : { position: Number(position), hash };
}

const beforeFirst = `decode(repeat('00', 32), 'hex')`;

/**
 * Formats a field as in decision record 37: length in UTF-8 bytes, colon, text, comma. Null is a
 * hyphen and a comma.
 */
const field = (text: string): string =>
  `COALESCE(octet_length(convert_to(${text}, 'UTF8')) || ':' || ${text} || ',', '-,')`;

const serialized = [
  field(`encode(a.previous_hash, 'hex')`),
  field('a.position::text'),
  field('a.action_id::text'),
  field(`to_char(a.acted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`),
  field('a.database_role'),
  field('a.claimed_operator'),
  field('a.command'),
  field('a.target'),
  field('a.arguments::text'),
  field('a.result::text'),
].join(' || ');

/** Checks that the entries of the audit log are unchanged. */
export const auditChecks = [
  check(
    'audit-chain',
    'installation',
    'operator_actions',
    'Every entry of the audit log has the next position, the hash of the previous entry, and a hash of its own content.',
    `
    SELECT NULL::integer AS environment_id, chained.position, ${problemsOf({
      'the previous entry is missing': 'chained.position > chained.previous_position + 1',
      'another entry has the same position': 'chained.position = chained.previous_position',
      'its previous_hash is not the hash of the previous entry': `
        chained.position = chained.previous_position + 1
          AND chained.previous_hash IS DISTINCT FROM chained.hash_before`,
      'its hash does not match its content': 'chained.hash IS DISTINCT FROM chained.content_hash',
    })} AS problem
      FROM (
        SELECT a.position, a.previous_hash, a.hash,
               lag(a.position, 1, 0::bigint) OVER chain AS previous_position,
               lag(a.hash, 1, ${beforeFirst}) OVER chain AS hash_before,
               sha256(convert_to(${serialized}, 'UTF8')) AS content_hash
          FROM operator_actions a
        WINDOW chain AS (ORDER BY a.position, a.action_id)
      ) AS chained`,
    { readsTablesOnly: true },
  ),
];

/** $1: positions, $2: hashes of the stored heads. */
export const auditHeadCheck = check(
  'audit-head',
  'installation',
  'operator_actions',
  'The audit log contains every head that was passed with --audit-head.',
  `
    SELECT NULL::integer AS environment_id, kept.position, ${problemsOf({
      'it is missing: the end of the log was removed, or the head belongs to another database': `
        kept.position > 0 AND a.position IS NULL`,
      'its hash differs from the head: the log was rewritten, or the head belongs to another database': `
        kept.hash <> COALESCE(encode(a.hash, 'hex'), repeat('0', 64)) AND (a.position IS NOT NULL OR kept.position = 0)`,
    })} AS problem
      FROM unnest($1::bigint[], $2::text[]) AS kept (position, hash)
      LEFT JOIN operator_actions a ON a.position = kept.position`,
  { readsTablesOnly: true },
);
