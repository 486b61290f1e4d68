import pino from 'pino';

import { DatabaseFailure } from '../../src/db/errors';
import { createBatchPartsStore } from '../../src/features/statements/batch-parts.store';
import {
  createEntryClassesStore,
  type EntryClassesStore,
} from '../../src/features/statements/entry-classes.store';
import { createLaterChangesStore } from '../../src/features/statements/later-changes.store';
import { createMatchAgain } from '../../src/features/statements/match-again';
import {
  createMatchingProgressStore,
  type MatchingProgressStore,
} from '../../src/features/statements/matching-progress.store';
import {
  createReconcileClasses,
  type ReconcileClasses,
} from '../../src/features/statements/reconcile-classes';
import { createStatedContributionsStore } from '../../src/features/statements/stated-contributions.store';
import {
  startStatementMatching,
  type StatementMatching,
} from '../../src/features/statements/statement-matching';
import { createCompletions } from '../support/completions';
import { relayAll } from '../support/feed';
import { longTest } from '../support/full-run';
import { laterRules, matchOnlyWithLaterRules } from '../support/matching';
import { startService, type TestCompany, type TestService } from '../support/service';
import { type Line, statementFile, uploadAndMatch } from '../support/statement-files';
import { readEntries } from '../support/statement-setup';
import { until } from '../support/until';

/** Environments share the matching: one with many files or changes does not delay another one. */
let service: TestService;

beforeEach(async () => {
  // Its background tasks work only when they are woken.
  service = await startService({ settings: { SANDBOX_REQUEST_LOG: 'off' }, pollMs: 3_600_000 });
});
afterEach(() => service.stop());

const lines = (count: number, name: string): Line[] =>
  Array.from({ length: count }, (_, at) => ({ cents: 1n, reference: `${name}-${at}` }));

/** Uploads a file for each of these numbers of lines, and waits until it is matched. */
async function filesOf(company: TestCompany, counts: readonly number[]): Promise<string[]> {
  const ids: string[] = [];
  for (const [at, count] of counts.entries()) {
    const content = statementFile(lines(count, `F${at}`), { account: `ACCOUNT-${at}` });
    ids.push((await uploadAndMatch(company.test, content)).file_id);
  }
  return ids;
}

async function queueAll(): Promise<void> {
  await matchOnlyWithLaterRules(service);
  await service.database.admin.query(
    `UPDATE statement_files SET state = 'stored', matched_count = 0, claimed_until = NULL;
     UPDATE matching_progress SET files_turn_at = NULL`,
  );
}

longTest('environments take turns, and those with a file in progress come last', async () => {
  const [other, it] = [await service.addCompany(), await service.addCompany()];
  const many = await filesOf(other, [1, 1, 1]);
  const [one, next] = await filesOf(it, [1, 1]);
  await queueAll();
  const store = createMatchingProgressStore(service.container.database, laterRules);
  const listed = async (most: number) => (await store.unmatched(most)).map(({ fileId }) => fileId);
  expect((await listed(2)).sort()).toEqual([many[0], one].sort());
  const all = await store.unmatched(5);
  const fileWith = (id: string | undefined) => all.find(({ fileId }) => fileId === id)!;
  await store.claim(fileWith(many[0]));
  expect(await listed(4)).toEqual([one, next, many[1], many[2]]);
  await store.claim(fileWith(one));
  expect(await listed(2)).toEqual([many[1], next]);
  // The other environment had its last turn earlier.
  const progress = { before: 0, now: 1, isDone: false, isEndOfTurn: true };
  await store.advance(fileWith(one), progress);
  await store.advance(fileWith(many[0]), progress);
  expect(await listed(5)).toEqual([many[1], next, many[2], one, many[0]]);
  await store.claim(fileWith(many[1]));
  await store.advance(fileWith(many[1]), { ...progress, isDone: true });
  expect(await listed(2)).toEqual([next, many[2]]);
});

interface Watch {
  onClaim?: (fileId: string) => void;
  /** Called before the classes of an environment are compared. */
  beforeComparison?: (environmentId: number) => Promise<void>;
}

/** Starts a separate task, which works when it is woken. */
function startWatched({ onClaim, beforeComparison }: Watch): StatementMatching {
  const { database } = service.container;
  const changes = createLaterChangesStore(database, laterRules);
  const stated = createStatedContributionsStore(database);
  const compare = createReconcileClasses(createEntryClassesStore(database, laterRules), stated);
  const files = createMatchingProgressStore(database, laterRules);
  const watched: MatchingProgressStore = {
    ...files,
    async claim(file) {
      const place = await files.claim(file);
      if (place !== undefined) onClaim?.(file.fileId);
      return place;
    },
  };
  const reconcile: ReconcileClasses = async (environmentId, keys) => {
    await beforeComparison?.(environmentId);
    await compare(environmentId, keys);
  };
  const parts = createBatchPartsStore(database);
  const matchAgain = createMatchAgain(changes, reconcile);
  return startStatementMatching(
    { files: watched, parts, reconcile, changes, matchAgain },
    pino({ level: 'silent' }),
    3_600_000,
  );
}

/** Matches all files. Returns the ids of the files in the order of claims. */
async function claimsOfAll(): Promise<string[]> {
  const claims: string[] = [];
  const matching = startWatched({ onClaim: (fileId) => claims.push(fileId) });
  matching.wake();
  const areMatched = async (): Promise<boolean> => {
    const { rows } = await service.database.admin.query(
      `SELECT FROM statement_files WHERE state <> 'matched' OR matched_count <> entry_count`,
    );
    return rows.length === 0;
  };
  await until('all files are matched', areMatched);
  await matching.stop();
  return claims;
}

longTest('large files of one environment let files of another one go first', async () => {
  const [other, it] = [await service.addCompany(), await service.addCompany()];
  const [large = '', second = ''] = await filesOf(other, [2_400, 2_400]);
  const [small = '', last = ''] = await filesOf(it, [1, 1]);
  await queueAll();
  const claims = await claimsOfAll();
  expect(claims.slice(0, 2).sort()).toEqual([large, small].sort());
  expect(claims.indexOf(last)).toBeLessThan(claims.indexOf(second));
  // Each has more lines than one turn.
  expect(claims.filter((fileId) => fileId === large)).toHaveLength(2);
  expect(claims.filter((fileId) => fileId === second)).toHaveLength(2);
});

longTest('a second matching of a final statement does not queue the files that it covers', async () => {
  const company = await service.addCompany();
  await uploadAndMatch(company.test, statementFile(lines(1, 'N'), { kind: '054' }));
  for (const from of ['2026-11-20', '2026-11-21', '2026-11-22']) {
    await uploadAndMatch(company.test, statementFile(lines(1, from), { from }));
  }
  await queueAll();
  const claims = await claimsOfAll();
  expect(claims).toHaveLength(new Set(claims).size);
});

test('a later completion takes effect while the files of another environment wait', async () => {
  const [other, company] = [await service.addCompany(), await service.addCompany()];
  const contributions = await createCompletions(service, company);
  const id = await contributions.create();
  const content = statementFile([{ cents: 25_50n, id: 'FT-1', reference: 'R-1' }]);
  const { file_id: fileId } = await uploadAndMatch(company.test, content);
  await filesOf(other, [1]);
  await matchOnlyWithLaterRules(service);
  const { rows } = await service.database.admin.query<{ environment: number }>(
    `UPDATE statement_files SET state = 'stored', matched_count = 0, claimed_until = NULL
      WHERE file_id <> $1 RETURNING environment_id AS environment`,
    [fileId],
  );
  await contributions.complete(company.test, id, { bank_reference: 'FT-1' }).expect(200);
  await relayAll(service.database.admin);
  // Matching the file of the other environment takes long.
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const matching = startWatched({
    beforeComparison: (environmentId) =>
      environmentId === rows[0]?.environment ? released : Promise.resolve(),
  });
  try {
    matching.wake();
    await until('the entry is matched', async () => {
      const [entry] = await readEntries(company.test, fileId);
      return entry?.outcome === 'matched';
    });
  } finally {
    release();
    await matching.stop();
  }
});

longTest('a set of entries that takes too long is compared in halves', async () => {
  const company = await service.addCompany();
  const contributions = await createCompletions(service, company);
  const ids = [await contributions.create(), await contributions.create(), await contributions.create()];
  const content = statementFile(ids.map((id) => ({ cents: 25_50n, id, reference: `R-${id}` })));
  await uploadAndMatch(company.test, content);
  const { rows } = await service.database.admin.query<{ viewer: number; key: string }>(
    `SELECT environment_id AS viewer, encode(class_key, 'hex') AS key FROM entry_sources`,
  );
  const { database } = service.container;
  const store = createEntryClassesStore(database, laterRules);
  const sets: number[] = [];
  const slow: EntryClassesStore = {
    ...store,
    put: async (environmentId, classKeys, ...more) => {
      sets.push(classKeys.length);
      if (classKeys.length > 1) throw new DatabaseFailure('timeout', 'nothing', undefined);
      return store.put(environmentId, classKeys, ...more);
    },
  };
  const compare = createReconcileClasses(slow, createStatedContributionsStore(database));
  const keys = rows.map(({ key }) => key);
  await compare(rows[0]!.viewer, keys);
  expect(sets).toEqual([3, 1, 2, 1, 1]);
  const failing: EntryClassesStore = {
    ...store,
    put: () => Promise.reject(new DatabaseFailure('timeout', 'nothing', undefined)),
  };
  const refuse = createReconcileClasses(failing, createStatedContributionsStore(database));
  await expect(refuse(rows[0]!.viewer, keys)).rejects.toThrow('database timeout');
});
