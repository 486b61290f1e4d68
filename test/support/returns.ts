import { randomUUID } from 'node:crypto';

import type { Test } from 'supertest';

import type { Client } from './client';

const base = '/company/integration/contributions';

export interface SentReturn {
  kind?: string;
  code?: string;
  amount?: string | number;
  bank_reference?: string;
  value_date?: string;
}

/** Records a return of 25.50 with a new reference, unless the request says otherwise. */
export function sendReturn(client: Client, transactionId: string, sent: SentReturn = {}): Test {
  return client.post(`${base}/${transactionId}/returns`, {
    kind: 'return',
    amount: '25.50',
    bank_reference: `RT-${randomUUID()}`,
    ...sent,
  });
}

/** Undoes a return of 25.50 with a new reference, unless the request says otherwise. */
export function sendUndo(
  client: Client,
  transactionId: string,
  returnId: string,
  sent: Omit<SentReturn, 'kind' | 'code'> & { reason?: string } = {},
): Test {
  return client.post(`${base}/${transactionId}/returns/${returnId}/undo`, {
    reason: 'paid_again',
    amount: '25.50',
    bank_reference: `PA-${randomUUID()}`,
    ...sent,
  });
}
