import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * The tasks of the profile month-end.
 *
 * @param is whether the client makes this mistake
 */
export function monthEndTasks(send, is) {
  /** Sends the file until its response has a summary. */
  async function completeMany({ completions }) {
    const lines = completions.slice(0, is('batch') ? 3 : undefined).map((each) => JSON.stringify(each));
    const type = { 'Content-Type': 'application/x-ndjson' };
    for (let attempt = 1; ; attempt += 1) {
      const text = await send('POST', '/contributions/completions', `${lines.join('\n')}\n`, type);
      const outcomes = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      const isRefused = outcomes.some(({ outcome }) => outcome === 'refused');
      if (outcomes.at(-1)?.summary || is('batch_cut')) {
        if (isRefused && !is('batch_refused')) throw new Error('A completion was refused.');
        return;
      }
      if (attempt === 5) throw new Error('There was no summary.');
    }
  }

  async function matched(fileId) {
    for (;;) {
      const statement = await send('GET', `/statements/${fileId}`);
      if (statement.state === 'matched') return statement;
      await delay(200);
    }
  }

  async function upload({ task, file }) {
    const bytes = readFileSync(path.join(process.env.CONFORM_FOLDER, file), 'utf8');
    const content = is('statement_again') ? `${bytes}<!-- ${randomUUID()} -->` : bytes;
    const type = { 'Content-Type': 'application/xml' };
    const { file_id: fileId, problems, statements } = await send('POST', '/statements', content, type);
    const isWrong = problems.length > 0 || statements.some(({ balance }) => balance === 'unbalanced');
    if (isWrong && !is('unbalanced')) throw new Error('The statement is wrong.');
    if (!is('statement') || task === 'record_returns') await matched(fileId);
    return fileId;
  }

  async function listAll(target, parameters) {
    const rows = [];
    for (let cursor; cursor !== null;) {
      const query = new URLSearchParams({ ...parameters, ...(cursor && { cursor }) });
      const { data, next_cursor: next } = await send('GET', `${target}?${query}`);
      rows.push(...data);
      cursor = is('open_positions') && data.length === 0 ? null : next;
    }
    return rows;
  }

  async function recordReturns(task) {
    const fileId = await upload(task);
    const entries = await listAll(`/statements/${fileId}/entries`, { outcome: 'returned' });
    for (const { allocations, bank_reference: reference } of entries) {
      for (const { transaction_id: id, amount } of allocations) {
        const record = { kind: 'return', amount, bank_reference: reference };
        if (is('return_again')) record.bank_reference += randomUUID();
        await sendReturn(id, record);
      }
    }
  }

  async function sendReturn(id, record) {
    const target = `/contributions/${id}/returns`;
    if (!is('return_lost')) return send('POST', target, record);
    const once = { ...record };
    let attempt = 0;
    // A new reference for each attempt.
    Object.defineProperty(once, 'bank_reference', {
      enumerable: true,
      get: () => `${record.bank_reference}-${(attempt += 1)}`,
    });
    return send('POST', target, once);
  }

  async function checkMonth({ from }) {
    const rows = await listAll('/reconciliation', { from });
    const isFine = ({ position, is_open: isOpen }) => {
      if (is('closed')) return position === 'matched';
      return !isOpen && (is('unconfirmed') || position !== 'unconfirmed');
    };
    if (!rows.every(isFine)) throw new Error('The month is open.');
  }

  return {
    complete_many: completeMany,
    upload_statement: upload,
    record_returns: recordReturns,
    check_month: checkMonth,
  };
}
