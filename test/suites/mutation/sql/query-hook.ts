import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type * as DatabaseModule from '../../../../src/db/pool/database';
import type * as QueryModule from '../../../../src/db/query';
import type { Assignment, Recording } from './assignment';
import type * as MutantsModule from './mutants';

/**
 * Intercepts the service's statements in a Jest run: records them, or changes the one that the
 * assignment names.
 */
const assignment = JSON.parse(readFileSync(process.env['MUTATION_ASSIGNMENT'] ?? '', 'utf8')) as Assignment;
/** Loaded only when needed, because it is larger than the service. */
let mutants: typeof MutantsModule;
const declared = new Set<string>();
const ran = new Map<string, { name: string | undefined; text: string; times: number }>();
const changed = new Map<string, string>();

function change(text: string, name: string | undefined): string {
  // Serialized even without a mutant, so that serialization errors appear in that run.
  if (assignment.do === 'record') return mutants.rewritten(text);
  if (assignment.do !== 'change') return text;
  if (name !== undefined) return name === assignment.name ? assignment.text : text;
  if (assignment.name !== undefined) return text;
  return mutants.mutantsOfUnprepared(text).find(({ key }) => key === assignment.key)?.text ?? text;
}

function mockChange(text: string, name?: string): string {
  const times = (ran.get(text)?.times ?? 0) + 1;
  ran.set(text, { name, text, times });
  const before = changed.get(text);
  if (before !== undefined) return before;
  const after = change(text, name);
  changed.set(text, after);
  return after;
}

const mockDeclared = (name: string): void => void declared.add(name);

jest.mock('../../../../src/db/pool/database', () => {
  const actual = jest.requireActual<typeof DatabaseModule>('../../../../src/db/pool/database');
  const createDatabase: typeof actual.createDatabase = (...settings) => {
    const database = actual.createDatabase(...settings);
    return {
      run: (statement, values) =>
        database.run(
          {
            ...statement,
            text: mockChange(
              statement.text,
              statement.preparedName === undefined ? statement.name : undefined,
            ),
          },
          values,
        ),
      runUnprepared: (text, values, about) => database.runUnprepared(mockChange(text), values, about),
      // Only `verify` uses this statement. The corruptions in test/cli/verification test it.
      runReadOnly: (text, values, localSettings) => database.runReadOnly(text, values, localSettings),
      poolState: () => database.poolState(),
      spare: database.spare,
      close: () => database.close(),
    };
  };
  return { ...actual, createDatabase };
});

jest.mock('../../../../src/db/query', () => {
  const actual = jest.requireActual<typeof QueryModule>('../../../../src/db/query');
  const query: typeof actual.query = (name, text, options) => {
    mockDeclared(name);
    return actual.query(name, text, options);
  };
  return { ...actual, query };
});

const startedAt = performance.now();
// Without a mutant every test passes, with a retry on a busy machine.
if (assignment.do === 'record') jest.retryTimes(2);

beforeAll(async () => {
  const isOfName = assignment.do === 'change' && assignment.name !== undefined;
  if (isOfName || assignment.do === 'nothing') return;
  mutants = jest.requireActual<typeof MutantsModule>('./mutants');
  await mutants.loadParser();
});

afterAll(() => {
  if (assignment.do !== 'record') return;
  const file = path.relative(process.cwd(), expect.getState().testPath ?? '');
  const recording: Recording = {
    file,
    milliseconds: Math.round(performance.now() - startedAt),
    declared: [...declared],
    ran: [...ran.values()],
  };
  mkdirSync(assignment.directory, { recursive: true });
  writeFileSync(
    path.join(assignment.directory, `${path.basename(file)}.json`),
    JSON.stringify(recording, null, 2),
  );
});
