import { inOperatorTransaction } from '../../src/db/operator-transaction';
import { createEntryClassesStore } from '../../src/features/statements/entry-classes.store';
import { createLaterChangesStore } from '../../src/features/statements/later-changes.store';
import { matchingRules } from '../../src/features/statements/matching/matching-rules';
import { createMatchingProgressStore } from '../../src/features/statements/matching-progress.store';
import { createReconcileClasses } from '../../src/features/statements/reconcile-classes';
import { createStatedContributionsStore } from '../../src/features/statements/stated-contributions.store';
import { readRulesState } from '../../src/features/statements/statements.findings';
import { type Completions, createCompletions } from '../support/completions';
import { longTest } from '../support/full-run';
import { laterRules, matchOnlyWithLaterRules } from '../support/matching';
import { startService, type TestCompany, type TestService } from '../support/service';
import {
  type Line,
  statementFile,
  statementsPath,
  upload,
  type UploadedFile,
  uploadAndMatch,
} from '../support/statement-files';
import { until } from '../support/until';

/** Files that were matched with other rules than those of this version. */
let service: TestService;
let company: TestCompany;
let contributions: Completions;

beforeEach(async () => {
  // Its background tasks work only when they are woken.
  service = await startService({ settings: { SANDBOX_REQUEST_LOG: 'off' }, pollMs: 3_600_000 });
  company = await service.addCompany();
  contributions = await createCompletions(service, company);
});
afterEach(() => service.stop());

const amount = 25_50n;
const query = (sql: string, values: unknown[] = []) => service.database.admin.query(sql, values);
const read = async <Body>(path: string): Promise<Body> =>
  (await company.test.get(path).expect(200)).body as Body;
const filesToCompare = async (): Promise<number> =>
  (await read<{ files_to_compare: number }>('/company/integration/reconciliation/summary')).files_to_compare;
const positionOf = async (id: string): Promise<string> =>
  (await read<{ position: string }>(`/company/integration/contributions/${id}/money`)).position;
interface Entry {
  entry_id: string;
  outcome: string;
  bank_reference: string;
}
const entriesOf = async (fileId: string): Promise<Entry[]> =>
  (await read<{ data: Entry[] }>(`${statementsPath}/${fileId}/entries`)).data;

const linesOf = (count: number): Line[] =>
  Array.from({ length: count }, (_, at) => ({ cents: 1n, reference: `F-${at}` }));

/** A file with a payment of `id`, and one that names no contribution. */
const fileOf = (id: string): string =>
  statementFile([
    { cents: amount, id, reference: 'R-1' },
    { cents: amount, text: 'no id', reference: 'R-2' },
  ]);

/** Replaces all results, as an earlier version without rules does. */
async function matchAsBefore(): Promise<void> {
  await query(`UPDATE statement_files SET rules = 0`);
  await query(`UPDATE matching_progress SET rules = 0`);
  await query(`UPDATE statement_entries SET outcome = 'unknown', reason = 'not_found'`);
  await query(`UPDATE allocations SET state = 'withdrawn'`);
  await query(`UPDATE statement_money SET gross_cents = 0`);
}

test('a file that was matched with earlier rules is matched again, and decisions stay', async () => {
  const [paid, decided] = [await contributions.create(), await contributions.create()];
  const { file_id: fileId } = await uploadAndMatch(company.test, fileOf(paid));
  const entryId = (await entriesOf(fileId)).find((one) => one.bank_reference === 'R-2')!.entry_id;
  await company.test
    .post(`/company/integration/statements/entries/${entryId}/decisions`)
    .send({ action: 'link', reason: 'r', allocations: [{ transaction_id: decided, amount: '25.50' }] })
    .expect(200);
  expect(await filesToCompare()).toBe(0);
  await matchAsBefore();
  expect(await positionOf(paid)).toBe('waiting');
  expect(await filesToCompare()).toBe(1);
  const rulesState = (rules?: number) =>
    inOperatorTransaction(service.database.operatorUrl, 'read', (database) =>
      readRulesState(database, rules),
    );
  expect(await rulesState()).toEqual({ outdatedFiles: 1, newerEnvironments: 0 });
  // Another upload wakes the task.
  await uploadAndMatch(company.test, statementFile(linesOf(1), { account: 'ANOTHER' }));
  await until('the file is matched again', async () => (await filesToCompare()) === 0);
  expect(await positionOf(paid)).toBe('money_without_completion');
  expect(await positionOf(decided)).toBe('money_without_completion');
  expect(await rulesState(matchingRules - 1)).toEqual({ outdatedFiles: 0, newerEnvironments: 1 });
});

longTest(
  'files that were matched with earlier rules are queued one at a time, after all other files',
  async () => {
    const other = await service.addCompany();
    for (const account of ['A', 'B', 'C']) {
      await uploadAndMatch(other.test, statementFile(linesOf(1), { account }));
    }
    const { file_id: fileId } = await uploadAndMatch(company.test, statementFile(linesOf(1)));
    await matchOnlyWithLaterRules(service);
    await query(`UPDATE statement_files SET rules = 0`);
    const store = createMatchingProgressStore(service.container.database, laterRules);
    expect(await store.unmatched(9)).toEqual([]);
    // The last turn of its environment is the longest ago.
    await query('UPDATE matching_progress SET files_turn_at = now()');
    await query(
      `UPDATE matching_progress SET files_turn_at = NULL
      WHERE environment_id = (SELECT environment_id FROM statement_files WHERE file_id = $1)`,
      [fileId],
    );
    expect(await store.queueOutdated()).toBe(true);
    expect((await store.unmatched(9)).map((file) => file.fileId)).toEqual([fileId]);
    // A voided file has no results.
    await query(`UPDATE statement_files SET rules = ${laterRules} WHERE state = 'stored'`);
    await query(`UPDATE statement_files SET voided_at = now(), void_reason = 'r' WHERE state = 'matched'`);
    expect(await store.queueOutdated()).toBe(false);
  },
);

longTest('a file whose first lines were matched with earlier rules starts again', async () => {
  const { file_id: fileId } = await uploadAndMatch(company.test, statementFile(linesOf(2)));
  await matchOnlyWithLaterRules(service);
  const store = createMatchingProgressStore(service.container.database, laterRules);
  const claim = async (rules: number): Promise<number | undefined> => {
    await query(
      `UPDATE statement_files SET state = 'stored', matched_count = 1, claimed_until = NULL, rules = $1`,
      [rules],
    );
    const [file] = await store.unmatched(1);
    expect(file?.fileId).toBe(fileId);
    return store.claim(file!);
  };
  expect(await claim(matchingRules)).toBe(0);
  expect(await claim(laterRules)).toBe(1);
});

test('a process never replaces the results of newer rules', async () => {
  const id = await contributions.create();
  const { file_id: fileId } = await uploadAndMatch(company.test, fileOf(id));
  const { rows } = await query(
    `SELECT environment_id AS viewer, encode(class_key, 'hex') AS key FROM entry_sources WHERE file_id = $1`,
    [fileId],
  );
  const [{ viewer, key }] = rows as [{ viewer: number; key: string }];
  const { database } = service.container;
  const store = createEntryClassesStore(database);
  await query(`UPDATE matching_progress SET rules = 0`);
  const before = await entriesOf(fileId);
  const newer = createEntryClassesStore(database, matchingRules + 1);
  const stated = createStatedContributionsStore(database);
  await createReconcileClasses(newer, stated)(viewer, [key]);
  await expect(createReconcileClasses(store, stated)(viewer, [key])).rejects.toMatchObject({
    code: 'overloaded',
  });
  expect(await entriesOf(fileId)).toEqual(before);
});

longTest('a process leaves an environment with results of newer rules to a newer process', async () => {
  const [id, other] = [await contributions.create(), await contributions.create()];
  const { file_id: fileId } = await uploadAndMatch(company.test, fileOf(id));
  const entryId = (await entriesOf(fileId))[0]!.entry_id;
  await query(`UPDATE matching_progress SET rules = $1`, [matchingRules + 1]);
  const { body } = await upload(company.test, statementFile([{ cents: amount, id: other }])).expect(202);
  expect((body as UploadedFile).state).toBe('stored');
  await query(`UPDATE matching_progress SET seen_lists = seen_lists + 1`);
  const { database } = service.container;
  expect(await createMatchingProgressStore(database).unmatched(9)).toEqual([]);
  expect(await createLaterChangesStore(database).changed(9)).toEqual([]);
  // Partners also ask the old process.
  expect(await filesToCompare()).toBe(2);
  const newer = createMatchingProgressStore(database, matchingRules + 1);
  expect(await newer.unmatched(9)).toHaveLength(1);
  expect(await createLaterChangesStore(database, matchingRules + 1).changed(9)).toHaveLength(1);
  const decision = { action: 'ignore', reason: 'r' };
  const refused = await company.test
    .post(`/company/integration/statements/entries/${entryId}/decisions`)
    .send(decision)
    .expect(503);
  expect(refused.body).toMatchObject({ code: 'overloaded' });
  const { rows } = await query('SELECT FROM reconciliation_decisions');
  expect(rows).toEqual([]);
});
