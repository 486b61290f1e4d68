import type { Response } from 'supertest';

import type { Client } from './client';
import { uploadAndMatch } from './statement-files';

export interface AccountDay {
  day: string;
  opening_balance: string | null;
  closing_balance: string | null;
  movement: string | null;
  counted_amount: string;
  difference: string | null;
  state: string;
  reason: string | null;
  file_ids: string[];
}

export const accountsPath = '/company/integration/statement-accounts';

/** Uploads files of one account, and returns its account_id. */
export async function uploadAll(client: Client, files: readonly string[]): Promise<string> {
  let accountId = '';
  for (const file of files) {
    const { statements } = await uploadAndMatch(client, file);
    accountId = statements[0]?.account_id ?? '';
  }
  return accountId;
}

/** The days from `from` to before `to`. */
export async function readDays(client: Client, accountId: string, from: string, to: string) {
  const response: Response = await client
    .get(`${accountsPath}/${accountId}/days?from=${from}&to=${to}`)
    .expect(200);
  return (response.body as { data: AccountDay[] }).data;
}
