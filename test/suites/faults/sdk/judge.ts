import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

import type { Journal } from '../journal/journal';
import type { Line } from './partners';

/** A contribution in the database. */
export interface Row {
  transaction_id: string;
  idempotency_key: string | null;
  amount_cents: string;
  status: string;
  bank_reference: string | null;
}

function group<Item>(items: readonly Item[], keyOf: (item: Item) => string | undefined): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item) ?? '';
    const members = groups.get(key);
    if (members) members.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/**
 * Compares what the SDK told its callers with the database. Every intent has ended.
 *
 * @param journal receives the violations
 */
export function judge(journal: Journal, lines: readonly Line[], rows: readonly Row[]): void {
  const of = (what: Line['what']): Line[] => lines.filter((line) => line.what === what);
  const byKey = group(rows, (row) => row.idempotency_key ?? undefined);
  const byId = new Map(rows.map((row) => [row.transaction_id, row]));
  const intended = new Map(of('intended').map((line) => [line.key ?? '', line]));
  for (const [key, same] of byKey) {
    const intention = intended.get(key);
    if (!intention) journal.violate('illegal', `nobody requested the key ${key}`);
    if (same.length > 1) journal.violate('doubled', `${same.length} contributions have the key ${key}`);
    const cents = Math.round(Number(intention?.amount) * 100);
    if (intention && Number(same[0]?.amount_cents) !== cents)
      journal.violate('illegal', `the amount of ${key} differs`);
  }
  for (const [amount, same] of group(rows, (row) => row.amount_cents)) {
    if (same.length > 1) journal.violate('doubled', `${same.length} contributions have the amount ${amount}`);
  }
  const created = group(of('create'), (line) => line.key);
  for (const [key, same] of created) {
    const ids = new Set(same.map((line) => line.id));
    if (ids.size > 1) journal.violate('doubled', `the key ${key} led to ${[...ids].join(', ')}`);
    if (!byKey.get(key)?.some((row) => ids.has(row.transaction_id)))
      journal.violate('lost', `the create ${key}`);
  }
  // All intents have ended, so a row that no caller knows is a lost response.
  for (const key of byKey.keys()) {
    if (!created.has(key)) journal.violate('lost', `no caller learned that ${key} was recorded`);
  }
  const transferred = new Set(of('transferred').map((line) => line.id));
  const completed = new Set(of('complete').map((line) => line.id));
  for (const id of completed) {
    const row = byId.get(id ?? '');
    if (row?.status !== 'completed' || row.bank_reference !== `FT-${id ?? ''}`)
      journal.violate('lost', `the completion of ${id ?? ''}`);
  }
  for (const row of rows) {
    if (row.status === 'completed' && !transferred.has(row.transaction_id))
      journal.violate('illegal', `${row.transaction_id} was completed without a transfer`);
    if (row.status === 'completed' && !completed.has(row.transaction_id))
      journal.violate('lost', `no caller learned that ${row.transaction_id} was completed`);
  }
  for (const line of [...of('failed'), ...of('rejected')])
    journal.violate('illegal', `a valid request failed: ${line.error ?? ''}`);
}

/** The intents that are still stored. There must be none in the end. */
export function storedIntents(folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) => ['host', 'bank'].map((name) => path.join(folder, name)))
    .filter((store) => existsSync(store))
    .flatMap((store) => readdirSync(store).filter((name) => name.endsWith('.json')));
}
