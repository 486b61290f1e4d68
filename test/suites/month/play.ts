import { formatCents } from '../../../src/shared/money';
import { generateTransactionId } from '../../../src/shared/transaction-id';
import { statementFile } from '../../support/statement-files';
import { until } from '../../support/until';
import {
  type BankFile,
  bankFiles,
  commonLinesOf,
  type Created,
  linesOf,
  type PlannedLine,
  strangeLinesOf,
} from './bank-files';
import type { MonthClient } from './client';
import { createConfusion } from './confusion';
import type { Planned } from './plan';

export interface Month {
  planned: readonly Planned[];
  days: readonly string[];
  random: () => number;
  projects: readonly number[];
  company: MonthClient;
  bank: MonthClient;
  say: (text: string) => void;
}

const atOnce = 16;
const linesAtOnce = 10_000;

async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const worker = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

async function createAll({ planned, company, projects }: Month): Promise<Created[]> {
  const created: Created[] = [];
  await inParallel(planned, async (one) => {
    const body = {
      project_id: projects[one.number % projects.length],
      amount: formatCents(one.cents),
      user_hash: `user-${one.number % 997}`,
    };
    const { transaction_id: id } = await company.put<{ transaction_id: string }>(
      '/contributions/create',
      body,
      { 'Idempotency-Key': `order-${one.number}` },
    );
    created.push({ ...one, id });
  });
  return created;
}

async function complete({ bank }: Month, ones: readonly Created[]): Promise<void> {
  for (let start = 0; start < ones.length; start += linesAtOnce) {
    const lines = ones.slice(start, start + linesAtOnce).map((one) =>
      JSON.stringify({
        transaction_id: one.id,
        amount: formatCents(one.cents),
        bank_reference: one.bankReference,
        value_date: one.day,
      }),
    );
    const text = await bank.postText('/contributions/completions', 'application/x-ndjson', lines.join('\n'));
    if (!text.includes(`"completed":${lines.length}`)) throw new Error(`completions: ${text.slice(-300)}`);
  }
}

async function uploadAll(client: MonthClient, files: readonly BankFile[]): Promise<string[]> {
  const ids: string[] = [];
  for (const { content } of files) {
    const text = await client.postText('/statements', 'application/xml', content);
    ids.push((JSON.parse(text) as { file_id: string }).file_id);
  }
  return ids;
}

/** Banks and companies upload files in any order. */
function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);
}

const settlementsOf = (prefix: string, ones: readonly Created[]): string =>
  ones
    .map((one) =>
      JSON.stringify({
        reference: `${prefix}-${one.day}`,
        transaction_id: one.id,
        amount: formatCents(one.cents),
      }),
    )
    .join('\n');

/** The company's account gets one transfer a day for everything that the bank completed. */
function companyFiles(days: readonly string[], ones: readonly Created[]): BankFile[] {
  return days.flatMap((day): BankFile[] => {
    const paid = ones.filter((one) => one.isCompleted && one.day === day);
    if (paid.length === 0) return [];
    const cents = paid.reduce((sum, one) => sum + one.cents, 0n);
    const id = `PAYOUT-${day}`;
    const line = { cents, id, reference: `C-${day}`, date: day };
    return [{ name: id, content: statementFile([line], { account: 'ACCOUNT-OF-THE-COMPANY', from: day }) }];
  });
}

interface Found {
  transaction_id: string;
  position: string;
}

async function positionsOf(client: MonthClient): Promise<Map<string, string>> {
  const positions = new Map<string, string>();
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: { data: Found[]; next_cursor: string | null } = await client.get(
      `/reconciliation?limit=1000${query}`,
    );
    for (const { transaction_id: id, position } of page.data) positions.set(id, position);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return positions;
}

interface FoundEntry {
  bank_reference: string | null;
  outcome: string | null;
}

async function outcomesOf(client: MonthClient, fileIds: readonly string[]): Promise<Map<string, string>> {
  const outcomes = new Map<string, string>();
  for (const fileId of fileIds) {
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page: { data: FoundEntry[]; next_cursor: string | null } = await client.get(
        `/statements/${fileId}/entries?limit=1000${query}`,
      );
      for (const entry of page.data) {
        const { bank_reference: reference, outcome } = entry;
        // A line that is replaced has no outcome.
        if (reference !== null && outcome !== null) outcomes.set(reference, outcome);
      }
      cursor = page.next_cursor;
    } while (cursor !== null);
  }
  return outcomes;
}

async function coverAccount({ bank }: Month): Promise<void> {
  const { data } = await bank.get<{ data: { account_id: string }[] }>('/statement-accounts');
  for (const { account_id: id } of data) {
    await bank.put(`/statement-accounts/${id}`, { complete_coverage: true, grace_days: 3 });
  }
}

/** The lines of the bank's statements according to the plan. */
function linesOfMonth({ days, random }: Month, ones: readonly Created[]): PlannedLine[] {
  const issued = new Set(ones.map(({ id }) => id));
  const tag = ones[0]?.id.slice(0, 4) ?? '';
  return days.flatMap((day) => {
    const ofDay = ones.filter((one) => one.day === day);
    const neverIssued = generateTransactionId(tag, new Date('2026-01-05T00:00:00Z'));
    return [
      ...ofDay.flatMap((one) => linesOf(one, issued, random)),
      ...commonLinesOf(day, ofDay),
      ...strangeLinesOf(day, neverIssued),
    ];
  });
}

const comesLater = (one: Created): boolean =>
  one.fate === 'paid before its completion' || (one.fate === 'part of one transfer' && one.number % 2 === 0);

export interface Result {
  report: string;
  wrong: string[];
}

/** Plays the month, and compares what the service finds with the plan. */
export async function playMonth(month: Month): Promise<Result> {
  const { company, bank, days, random, say } = month;
  const ones = await createAll(month);
  say(`${ones.length} contributions created`);
  const completed = ones.filter((one) => one.isCompleted);
  await complete(
    month,
    completed.filter((one) => !comesLater(one)),
  );
  say('the first completions are done');
  const lines = linesOfMonth(month, ones);
  const files = shuffled(bankFiles(days, lines), random);
  const half = Math.ceil(files.length / 2);
  const fileIds = await uploadAll(bank, files.slice(0, half));
  const companyIds = await uploadAll(company, shuffled(companyFiles(days, ones), random));
  await complete(month, completed.filter(comesLater));
  const listed = ones.filter(({ fate }) => fate === 'part of a listed transfer');
  await bank.postText('/statements/settlements', 'application/x-ndjson', settlementsOf('LIST', listed));
  for (let start = 0; start < completed.length;) {
    // All contributions of one reference must be in the same upload.
    const byDay = [...completed].sort((one, other) => (one.day < other.day ? -1 : 1));
    let end = Math.min(start + 9_000, byDay.length);
    while (end < byDay.length && byDay[end]?.day === byDay[end - 1]?.day) end -= 1;
    const part = byDay.slice(start, end);
    await company.postText('/statements/settlements', 'application/x-ndjson', settlementsOf('PAYOUT', part));
    start = end;
  }
  await inParallel(
    ones.filter(({ fate }) => fate === 'returned and recorded'),
    async (one) => {
      await bank.post(`/contributions/${one.id}/returns`, {
        kind: 'return',
        code: 'R01',
        amount: formatCents(one.cents),
        bank_reference: `RT-${one.number}`,
      });
    },
  );
  fileIds.push(...(await uploadAll(bank, files.slice(half))));
  await coverAccount(month);
  say(
    `${fileIds.length + companyIds.length} files uploaded, with ${lines.length} different entries of the bank`,
  );

  const read = async () => {
    const positions = createConfusion();
    const ofCompany = createConfusion();
    const entries = createConfusion();
    const [found, foundByCompany] = [await positionsOf(bank), await positionsOf(company)];
    for (const one of ones) {
      positions.add(one.position, found.get(one.id) ?? 'missing', `${one.fate} ${one.id}`);
      ofCompany.add(one.companyPosition, foundByCompany.get(one.id) ?? 'missing', `${one.fate} ${one.id}`);
    }
    const outcomes = await outcomesOf(bank, fileIds);
    for (const { reference, outcome } of lines) {
      if (reference !== undefined) entries.add(outcome, outcomes.get(reference) ?? 'missing', reference);
    }
    const wrong = [positions, ofCompany, entries].flatMap((one) => one.wrong());
    return { positions, ofCompany, entries, wrong };
  };
  let last = await read();
  // Completions reach the entries that wait for them within seconds.
  await until('the last entries are matched', async () => {
    if (last.wrong.length > 0) last = await read();
    return last.wrong.length === 0;
  }).catch(() => undefined);
  return {
    report: [
      last.positions.describe('Positions in the statements of the bank'),
      last.ofCompany.describe('Positions in the statements of the company'),
      last.entries.describe('Outcomes of the entries of the bank with a reference'),
    ].join('\n\n'),
    wrong: last.wrong,
  };
}
