import { randomInt } from 'node:crypto';

import type { Pool } from 'pg';
import type { Response } from 'supertest';

import type { OutcomeLine, SummaryLine } from '../../src/core/contributions/complete-contributions.contract';
import type { ErrorCode } from '../../src/shared/errors';
import { composeTransactionId } from '../../src/shared/transaction-id';
import type { Client, Credentials } from './client';
import { errorCatalog } from './errors';

export const completionsPath = '/company/integration/contributions/completions';

/** A line of NDJSON for each value. */
export const ndjson = (lines: readonly object[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('');

export interface FileResponse {
  status: number;
  headers: Headers;
  outcomes: OutcomeLine[];
  /** Undefined if the response was cut off. */
  summary: SummaryLine['summary'] | undefined;
  /** The problem document of an error. */
  code: string | undefined;
}

/** Parses a response, or the start of one. */
export function readLines(text: string): Pick<FileResponse, 'outcomes' | 'summary'> {
  const complete = text.slice(0, text.lastIndexOf('\n') + 1);
  const lines = complete
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as OutcomeLine | SummaryLine);
  return {
    outcomes: lines.flatMap((line) => ('summary' in line ? [] : [line])),
    summary: lines.flatMap((line) => ('summary' in line ? [line.summary] : []))[0],
  };
}

/** Sends a completion file. */
export async function sendFile(
  baseUrl: string,
  { apiKey, apiSecret }: Credentials,
  body: string | Uint8Array<ArrayBuffer>,
  { type = 'application/x-ndjson', query = '' } = {},
): Promise<FileResponse> {
  const response = await fetch(`${baseUrl}${completionsPath}${query}`, {
    method: 'POST',
    headers: { 'API-Key': apiKey ?? '', 'API-Secret': apiSecret ?? '', 'Content-Type': type },
    body,
  });
  const text = await response.text();
  const { status, headers } = response;
  if (status === 200) return { status, headers, code: undefined, ...readLines(text) };
  const { code } = JSON.parse(text) as { code: string };
  return { status, headers, code, outcomes: [], summary: undefined };
}

/**
 * Completes one contribution with a file of one line.
 *
 * @returns the response that a single completion gets, without the id that the client sent
 */
export async function askAsFile(client: Client, id: string, amount: string): Promise<Response> {
  const response = await client
    .raw('post', completionsPath)
    .set('Content-Type', 'application/x-ndjson')
    .buffer(true)
    .parse((incoming, done) => {
      let text = '';
      incoming.on('data', (piece: Buffer) => (text += piece.toString()));
      incoming.on('end', () => {
        done(null, text);
      });
    })
    .send(ndjson([{ transaction_id: id, amount }]));
  const text = response.body as string;
  if (response.status !== 200) return Object.assign(response, { body: JSON.parse(text) as object, text });
  const code = readLines(text).outcomes[0]?.code;
  const status = code ? errorCatalog[code as ErrorCode].status : 200;
  return Object.assign(Object.create(response) as Response, {
    status,
    body: { code },
    text: text.replaceAll(id, '').replace(/"sha256":"\w+"/, ''),
  });
}

/**
 * Stores copies of a pending contribution with its event.
 *
 * @returns their ids
 */
export async function addCopies(admin: Pool, transactionId: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  // A random start, so that copies of several contributions of one environment have different
  // times.
  const start = Date.UTC(2026, 1, 1) + 1_000 * randomInt(10_000_000);
  for (let number = 0; ids.length < count; number += 1) {
    const at = new Date(start + 1_000 * Math.floor(number / 1_000));
    const id = composeTransactionId(transactionId.slice(0, 4), at, number % 1_000);
    if (id !== undefined) ids.push(id);
  }
  const copy = (table: string, columns: string, values = columns): Promise<unknown> =>
    admin.query(
      `INSERT INTO ${table} (transaction_id, ${columns})
       SELECT new.id, ${values} FROM ${table} row, unnest($2::text[]) AS new (id) WHERE row.transaction_id = $1`,
      [transactionId, ids],
    );
  await copy(
    'transactions',
    'environment_id, user_id, project_id, amount_cents, currency, status, created_at, created_by_api_key',
  );
  await copy(
    'events',
    'event_id, environment_id, type, actor_environment_id, actor_api_key, evidence, recorded_at',
    'gen_random_uuid(), environment_id, type, actor_environment_id, actor_api_key, evidence, recorded_at',
  );
  await admin.query(
    `INSERT INTO event_queue (environment_id, event_id, queued_at)
     SELECT e.environment_id, e.event_id, e.recorded_at FROM events e WHERE e.transaction_id = ANY ($1)`,
    [ids],
  );
  return ids;
}
