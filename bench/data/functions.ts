const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const checkAlphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** A number as base-32 digits of Crockford's alphabet, in SQL. */
const base32 = (value: string, length: number): string =>
  Array.from(
    { length },
    (_, place) => `substr('${crockford}', ((${value} >> ${5 * (length - 1 - place)}) & 31)::integer + 1, 1)`,
  ).join(' || ');

/** The ISO 7064 MOD 37,36 check character of 14 characters, in SQL. */
function checkCharacter(id: string): string {
  let product = '36';
  for (let place = 1; place <= 14; place += 1) {
    const value = `strpos('${checkAlphabet}', substr(${id}, ${place}, 1)) - 1`;
    product = `COALESCE(NULLIF((${product} + ${value}) % 36, 0), 36) * 2 % 37`;
  }
  return `substr('${checkAlphabet}', (37 - ${product}) % 36 + 1, 1)`;
}

/**
 * What the generator computes with, in a schema of its own. Everything follows from numbers and the seed, so that every table
 * can be filled without reading another, in any order and in parallel.
 *
 * That the ids are those of the service is not taken for granted here: `npm run verify` reads them with statements of its own.
 */
export const createFunctions = (seed: number): string => `
  CREATE SCHEMA bench;

  -- From 0 to below, the same for the same number, salt and seed.
  CREATE FUNCTION bench.draw(number bigint, salt integer, below bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (hashint8extended(number, ${seed} * 1000::bigint + salt) & 9223372036854775807) % below;

  -- 344 characters, as many as an RSA-2048 ciphertext has in base64.
  CREATE FUNCTION bench.user_hash(user_number bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT left(string_agg(translate(encode(sha256(convert_to(
              '${seed} ' || user_number || ' ' || part, 'UTF8')), 'base64'), '+/=', '-_'), '' ORDER BY part), 344)
              FROM generate_series(1, 9) AS part);

  CREATE FUNCTION bench.checked(stem text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN stem || ${checkCharacter('stem')};

  -- An id whose check character would be I, L, O or U is drawn again: of two neighbouring last digits one always fits.
  CREATE FUNCTION bench.transaction_id(tag text, created_at timestamptz, serial bigint) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (
      SELECT CASE WHEN right(first_try, 1) IN ('I', 'L', 'O', 'U') THEN bench.checked(stem || ${base32('digit + 1', 1)})
                  ELSE first_try END
        FROM (
          SELECT stem, digit, bench.checked(stem || ${base32('digit', 1)}) AS first_try
            FROM (
              SELECT tag || ${base32(`extract(epoch FROM created_at - timestamptz '2026-01-01Z')::bigint`, 6)}
                         || ${base32('(serial >> 4)', 3)} AS stem,
                     (serial & 15) * 2 AS digit
            ) AS parts
        ) AS tried
    );

  -- Times first, as in a UUID of version 7.
  CREATE FUNCTION bench.event_id(recorded_at timestamptz, transaction_id text, type text) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (lpad(to_hex((extract(epoch FROM recorded_at) * 1000)::bigint), 12, '0') || '7'
            || substr(md5(transaction_id || type), 1, 3) || '8' || substr(md5(transaction_id || type), 4, 15))::uuid;

  CREATE TABLE bench.environments (
    environment_id integer PRIMARY KEY,
    tag text NOT NULL,
    api_key text NOT NULL,
    first_user bigint NOT NULL,
    users bigint NOT NULL,
    first_support bigint NOT NULL,
    supports bigint NOT NULL
  )`;
