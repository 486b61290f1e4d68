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

  /** Waits until the file was read and its days are compared. */
  async function read(fileId) {
    for (;;) {
      const statement = await send('GET', `/statements/${fileId}`);
      const { days_to_compare: days } = await send('GET', '/reconciliation/summary');
      if (statement.state === 'read' && days === 0) return statement;
      if (!['received', 'reading', 'read'].includes(statement.state)) throw new Error(statement.reason);
      await delay(200);
    }
  }

  async function upload({ task, file }) {
    const bytes = readFileSync(path.join(process.env.CONFORM_FOLDER, file), 'utf8');
    const content = is('statement_again') ? `${bytes}<!-- ${randomUUID()} -->` : bytes;
    const type = { 'Content-Type': 'application/xml' };
    const { file_id: fileId } = await send('POST', '/statements', content, type);
    if (is('unreadable') || (is('statement') && task !== 'record_returns')) return fileId;
    const { problems, accounts } = await read(fileId);
    const questions = (await listAll('/reconciliation/questions', {})).filter(({ account_id: of }) =>
      accounts.some(({ account_id: id }) => id === of),
    );
    if (problems.length + questions.length > 0 && !is('unbalanced'))
      throw new Error('The statement is wrong.');
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
    const entries = await listAll(`/statements/${fileId}/entries`, {});
    for (const { allocations, bank_reference: reference } of entries.filter(
      ({ outcome }) => outcome === 'returned',
    )) {
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
    answer_question: ({ account_id: account, day, answer }) =>
      send('POST', `/statement-accounts/${account}/days/${day}/choice`, answer),
    decide_entry: ({ entry_id: entry, decision }) =>
      send('POST', `/statements/entries/${entry}/decisions`, decision),
    // This mistake does not notice that the month stays open.
    close_month: ({ task: _task, month, ...closing }) =>
      send('POST', `/reconciliation/months/${month}/close`, closing).catch((error) => {
        if (!is('close_month')) throw error;
      }),
    reopen_month: ({ month, reason }) => send('POST', `/reconciliation/months/${month}/reopen`, { reason }),
  };
}
