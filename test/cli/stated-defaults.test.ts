import { writeFileSync } from 'node:fs';
import path from 'node:path';

import type { Command } from 'commander';

import { addEndpoint } from '../support/added-endpoint';
import { operatorCommands, operatorSettings, runOps } from '../support/operator-commands';
import { temporaryFolder } from '../support/program';
import { startService, type TestService } from '../support/service';
import { statementFile } from '../support/statement-files';
import { defaultScopes, scopesFor } from '../support/scopes';

/** What the help says that a command does without an option, against what is stored. */
const folder = temporaryFolder();
const dayMs = 86_400_000;
let service: TestService;

beforeAll(async () => {
  service = await startService();
  await service.addCompany('Acme');
});
afterAll(async () => {
  folder.remove();
  await service.stop();
});

const operator = (...words: string[]) => runOps(words, operatorSettings(service.database));
async function succeed(...words: string[]): Promise<Record<string, string>> {
  const { exitCode, output } = await operator(...words, '--json');
  expect([exitCode, output]).toEqual([0, expect.stringContaining('{')]);
  return JSON.parse(output) as Record<string, string>;
}
async function stored<Row>(query: string, ...values: unknown[]): Promise<Row> {
  return (await service.database.admin.query(query, values)).rows[0] as Row;
}

interface StoredPair {
  scopes: string[];
  expires_at: Date | null;
}
const storedPair = (apiKey: string | undefined) =>
  stored<StoredPair>('SELECT scopes, expires_at FROM key_pairs WHERE api_key = $1', apiKey);
let companies = 0;
async function addCompany(): Promise<string> {
  const name = `Partner ${(companies += 1)}`;
  await succeed('companies', 'create', name);
  return name;
}
const daysLeft = ({ expires_at: expiresAt }: StoredPair) =>
  expiresAt && Math.round((expiresAt.getTime() - Date.now()) / dayMs);

/** A check for each default that a help text states in words. */
const checks: Record<string, () => Promise<void>> = {
  'keys issue --for': async () => {
    const { api_key: apiKey } = await succeed('keys', 'issue', 'test', await addCompany());
    expect((await storedPair(apiKey)).scopes).toEqual(defaultScopes('test'));
  },
  'keys issue --expires-in-days': async () => {
    const { api_key: apiKey } = await succeed('keys', 'issue', 'test', await addCompany());
    expect((await storedPair(apiKey)).expires_at).toBeNull();
  },
  'keys rotate --expires-in-days': async () => {
    const words = ['keys', 'issue', 'production', await addCompany(), '--for', 'bank'];
    const { api_key: first = '' } = await succeed(...words, '--expires-in-days', '90');
    await service.database.admin.query(
      `UPDATE key_pairs SET created_at = created_at - interval '80 days', expires_at = expires_at - interval '80 days',
              issued_until = issued_until - interval '80 days' WHERE api_key = $1`,
      [first],
    );
    const { api_key: second = '', expires_at: printed } = await succeed('keys', 'rotate', first);
    const pair = await storedPair(second);
    expect([daysLeft(pair), pair.scopes]).toEqual([90, scopesFor('bank', 'production')]);
    expect(pair.expires_at?.toISOString().slice(0, 19)).toBe(printed?.slice(0, 19));
    // The first rotation brought the expiry of the old pair forward. It is no choice.
    await succeed('keys', 'revoke', second, '--yes');
    const { api_key: third } = await succeed('keys', 'rotate', first);
    expect(daysLeft(await storedPair(third))).toBe(90);
    // Nor does a pair that never expires get an expiry from the overlap.
    const { api_key: lasting = '' } = await succeed(...words.with(-1, 'sdk'), '--never');
    const { api_key: next = '' } = await succeed('keys', 'rotate', lasting);
    await succeed('keys', 'revoke', next, '--yes');
    const { api_key: last } = await succeed('keys', 'rotate', lasting);
    expect((await storedPair(last)).expires_at).toBeNull();
  },
  'statements import --direction': async () => {
    const file = path.join(folder.path, 'statement.xml');
    writeFileSync(file, statementFile([], { from: '2026-11-20' }));
    await operator('statements', 'import', 'test', 'Acme', file);
    expect(await stored('SELECT direction FROM statement_accounts')).toEqual({ direction: 'credit' });
  },
  'webhooks replay --to': () => replaysToPosition(),
  'webhooks replay --to-sequence': () => replaysToPosition(),
};

async function replaysToPosition(): Promise<void> {
  const endpoint = await addEndpoint(service.database.admin, await addCompany());
  await endpoint.writeEvent(0);
  await endpoint.change('position = 7');
  await service.database.admin.query('UPDATE feeds SET last_sequence = 9 WHERE environment_id = $1', [
    endpoint.environmentId,
  ]);
  const replay = await succeed('webhooks', 'replay', endpoint.endpointId, '--from-sequence', '1');
  expect(replay['to_sequence']).toBe(7);
}

/** Checked in first-contact.test.ts (`overdue uses the setting …`) and in bank-links.test.ts. */
const checkedElsewhere = ['contributions overdue --hours', 'companies unlink-bank --linked-at'];

function statedDefaults(command: Command, words: readonly string[] = []): string[] {
  return [
    ...command.options
      .filter(
        ({ description, defaultValue }) => defaultValue === undefined && /\bdefault\b.*:/.test(description),
      )
      .map(({ long }) => [...words, long].join(' ')),
    ...command.commands.flatMap((each) => statedDefaults(each, [...words, each.name()])),
  ];
}

test('every default that a help text states in words has a check', () => {
  expect(statedDefaults(operatorCommands()).sort()).toEqual(
    [...Object.keys(checks), ...checkedElsewhere].sort(),
  );
});

test.each(Object.entries(checks))('%s does without it what its help says', (_option, check) => check());

describe('a production pair', () => {
  const issue = async (...words: string[]) =>
    operator('keys', 'issue', 'production', await addCompany(), ...words);

  test.each([
    [[], '--for sdk|bank|read-only|everything'],
    [['--never'], '--for sdk|bank|read-only|everything'],
    [['--for', 'sdk'], '--expires-in-days <days>, or --never'],
    [['--scope', 'projects:read'], '--expires-in-days <days>, or --never'],
    [['--for', 'sdk', '--scope', 'projects:read', '--never'], 'cannot be used with'],
    [['--for', 'sdk', '--never', '--expires-in-days', '3'], 'cannot be used with'],
  ])('is not issued with %j', async (words, message) => {
    const { exitCode, output } = await issue(...words);
    expect([exitCode, output]).toEqual([2, expect.stringContaining(message)]);
  });

  test.each(['sdk', 'bank', 'read-only', 'everything'] as const)(
    'for %s gets its scopes',
    async (purpose) => {
      const { output } = await issue('--for', purpose, '--never', '--json');
      const { api_key: apiKey } = JSON.parse(output) as { api_key: string };
      expect((await storedPair(apiKey)).scopes).toEqual(scopesFor(purpose, 'production'));
    },
  );
});
