import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import type { Command } from 'commander';

import { verifyEndpoint } from '../support/added-endpoint';
import { addProject, addStory } from '../support/catalogue';
import { operatorCommands, type Outcome, runOpsSeparately } from '../support/operator-commands';
import type { TestService } from '../support/service';
import { statementFile, uploadAndWait } from '../support/statement-files';
import { bai2 } from '../../packages/bank-files/test/generate';

/** Every operator's command. */
export const commands = (): readonly Command[] => operatorCommands().commands;

/** The names of all commands, such as "keys issue". */
export const commandNames = (): string[] =>
  commands().flatMap((command) =>
    command.commands.length === 0
      ? [command.name()]
      : command.commands.map((each) => `${command.name()} ${each.name()}`),
  );

/** The name of the command with these words. */
export function nameOf([name = '', subcommand = '']: readonly string[]): string {
  const command = commands().find((each) => each.name() === name)!;
  return command.commands.length === 0 ? name : `${name} ${subcommand}`;
}

/** Runs a command. */
type Run = (
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
  expectedExitCode: number,
) => Promise<Outcome>;

const ran = new Set<string>();
let settings: Readonly<Record<string, string>> = {};
let run: Run;

/** Runs a command in this process and returns its standard output. */
async function ops(words: readonly string[], expectedExitCode = 0): Promise<string> {
  const { exitCode, stdout, stderr } = await run(words, settings, expectedExitCode);
  // If a command fails, its words show which one.
  const why = exitCode === expectedExitCode ? [] : [stderr, stdout];
  expect([words, exitCode, why]).toEqual([words, expectedExitCode, []]);
  expect(stderr).not.toContain('Warning: ');
  ran.add(nameOf(words));
  return stdout;
}

async function issue(): Promise<string> {
  const output = await ops(['keys', 'issue', 'test', 'Made', '--expires-in-days', '9', '--json']);
  return (JSON.parse(output) as { api_key: string }).api_key;
}

function catalogueFile(folder: string, name: string, content: object): string {
  const file = path.join(folder, name);
  writeFileSync(file, JSON.stringify(content));
  return file;
}

const catalogue = (title: string) => ({
  projects: [
    {
      reference: 'imported',
      name: title,
      image_url: '/a.svg',
      highlights: [{ title, body: 'b', image_url: null }],
      stories: [{ number: 1, title, body: 'b', published_at: '2026-11-01T00:00:00Z' }],
    },
  ],
});

/** What the commands find in the database. */
export interface Activity {
  /** A transaction for which the bank reported another amount. */
  mismatched: string;
  /** A transaction that another bank completed again. */
  contested: string;
  /** A corrected transaction whose completion was sent again. */
  repeated: string;
  /** Two queued events that have failed. */
  retried: string;
  dropped: string;
}

/**
 * Runs every command at least once. The database must have the companies Acme and Bank with a user
 * whose hash is "user".
 *
 * @param operator the settings of the commands
 * @param folder for files
 * @returns the commands that ran, such as "keys issue"
 */
export async function runEveryCommand(
  operator: Readonly<Record<string, string>>,
  folder: string,
  { mismatched, contested, repeated, retried, dropped }: Activity,
  runOne: Run = (words, given) => runOpsSeparately(words, given),
): Promise<ReadonlySet<string>> {
  ran.clear();
  settings = operator;
  run = runOne;
  await ops(['companies', 'create', 'Made']);
  await ops(['companies', 'list']);
  await ops(['companies', 'show', 'Made']);
  await ops(['companies', 'suspend', 'Made']);
  await ops(['companies', 'resume', 'Made']);
  await ops(['companies', 'freeze', 'Made', '--reason', 'an investigation']);
  await ops(['companies', 'unfreeze', 'Made']);
  await ops(['companies', 'link-bank', 'test', 'Made', 'Bank', '--yes']);
  await ops(['companies', 'unlink-bank', 'test', 'Made', 'Bank', '--yes']);
  await ops(['companies', 'unlink-bank', 'test', 'Made', 'Bank', '--as-mistake', '--yes']);
  await ops(['companies', 'set-rate-limits', 'test', 'Made', '--requests-per-second', '70']);
  await ops(['companies', 'rename', 'Made', 'Renamed']);
  await ops(['companies', 'rename', 'Renamed', 'Made']);
  const apiKey = await issue();
  await ops(['keys', 'rotate', apiKey]);
  await ops(['keys', 'list', 'Made', '--all']);
  await ops(['keys', 'safe-to-revoke', 'Made']);
  await ops(['keys', 'activity', apiKey, '--from', '2026-11-01']);
  await ops(['keys', 'revoke', apiKey, '--yes']);
  await ops(['companies', 'revoke-keys', 'Made', '--yes']);
  await ops(['companies', 'create', 'Made by mistake']);
  await ops(['companies', 'delete', 'Made by mistake', '--yes']);
  await ops(['peppers', 'show']);
  await ops(['peppers', 'draw']);

  await ops(['projects', 'import', catalogueFile(folder, 'a.json', catalogue('One'))]);
  await ops(['projects', 'import', catalogueFile(folder, 'b.json', catalogue('Two'))]);
  await ops(['projects', 'list', '--all']);
  await ops(['projects', 'export', path.join(folder, 'c.json')]);
  await ops(['projects', 'show', 'imported']);
  await ops(['projects', 'archive', 'imported']);
  await ops(['projects', 'restore', 'imported']);
  await ops(['projects', 'reorder', 'imported']);
  await ops(['projects', 'recount']);
  await ops(['stories', 'export', path.join(folder, 's.json')]);
  await ops(['stories', 'import', path.join(folder, 's.json')]);
  await ops(['stories', 'list', 'imported']);
  await ops(['stories', 'archive', 'imported', '1']);
  await ops(['stories', 'restore', 'imported', '1']);

  await ops(['whoami']);
  await ops(['contributions', 'find', mismatched]);
  await ops(['contributions', 'show', mismatched]);
  await ops(['contributions', 'list', 'Acme']);
  await ops(['contributions', 'overdue']);
  await ops(['contributions', 'totals', 'Acme']);
  await ops(['contributions', 'export', 'Acme', '--file', path.join(folder, 'transactions.csv')]);
  await ops(['contributions', 'history', mismatched]);
  await ops(['contributions', 'mismatches'], 3);
  await ops(['contributions', 'resolve', mismatched, '--reason', 'the bank has read another line']);
  await ops(['contributions', 'contested'], 3);
  await ops([
    'contributions',
    'resolve-contested',
    contested,
    '--reason',
    'the second bank took its money back',
  ]);
  await ops(['contributions', 'repeated'], 3);
  await ops(['contributions', 'resolve-repeated', repeated, '--reason', 'a late retry']);
  await ops(['contributions', 'correct', contested, '--reason', 'completed by mistake', '--yes']);
  const september = ['test', 'Acme', '2026-09'];
  const range = ['--from', '2026-09-01', '--to', '2026-10-01'];
  const why = ['--name', 'Anna', '--reason', 'all is booked'];
  await ops(['reconciliation', 'statement', 'test', 'Acme', '0001', ...range]);
  await ops(['reconciliation', 'can-close', ...september]);
  await ops(['reconciliation', 'close', ...september, ...why]);
  await ops(['reconciliation', 'reopen', ...september, ...why]);
  const statement = path.join(folder, 'statement');
  writeFileSync(statement, bai2([]));
  await ops(['statements', 'check', statement]);
  writeFileSync(statement, bai2([{ cents: 1n, direction: 'credit', text: 'rent' }]));
  const imported = await ops(['statements', 'import', 'test', 'Acme', statement, '--no-wait', '--json'], 3);
  const { file_id: fileId } = JSON.parse(imported) as { file_id: string };
  await ops(['statements', 'list', 'test', 'Acme']);
  await ops(['statements', 'show', 'test', 'Acme', fileId], 3);
  await ops(['statements', 'days', 'test', 'Acme', '0001'], 3);
  await ops(['statements', 'questions', 'test', 'Acme']);
  await ops(['statements', 'entries', 'test', 'Acme']);
  await ops(['statements', 'void', 'test', 'Acme', fileId, '--reason', 'another account']);
  await ops(['reconciliation', 'list', 'test', 'Acme']);
  await ops(['reconciliation', 'summary', 'test', 'Acme']);
  await ops(['reconciliation', 'report', 'test', 'Acme', '--html', path.join(folder, 'report.html')], 3);
  await ops(['events', 'list']);
  await ops(['events', 'feed']);
  await ops(['events', 'feed', 'Acme']);
  await ops(['events', 'failed']);
  await ops(['events', 'retry', retried]);
  await ops(['events', 'drop', dropped, '--yes']);
  const hashFile = path.join(folder, 'hash.txt');
  writeFileSync(hashFile, 'user');
  await ops(['users', 'export', 'test', 'Acme', '--user-hash-file', hashFile]);
  await ops(['users', 'forget', 'test', 'Acme', '--user-hash-file', hashFile, '--yes']);

  await ops(['sandbox', 'purge', '--yes']);
  const listed = await ops(['webhooks', 'list', '--json']);
  const { endpoints } = JSON.parse(listed) as { endpoints: { endpoint_id: string }[] };
  const [{ endpoint_id: endpointId }] = endpoints as [{ endpoint_id: string }];
  await ops(['webhooks', 'show', endpointId]);
  await ops(['webhooks', 'disable', endpointId]);
  await ops(['webhooks', 'enable', endpointId]);
  await ops(['webhooks', 'replay', endpointId, '--from', '2026-01-01']);
  await ops(['webhooks', 'cancel-replay', endpointId]);

  await ops(['actions', 'list']);
  const [head = ''] = (await ops(['actions', 'head'])).split(' ');
  expect(head).toMatch(/^\d+:[0-9a-f]{64}$/);
  await ops(['verify', '--audit-head', head]);
  await ops(['doctor']);
  await ops(['completion', 'bash']);
  return ran;
}

const contributions = '/company/integration/contributions';

/** Activity of a company and its bank, so that the commands find data. */
export async function createActivity(service: TestService): Promise<Activity> {
  const [acme, bank] = [await service.addCompany('Acme'), await service.addCompany('Bank')];
  const second = await service.addCompany('Second Bank');
  await service.companies.linkBank('test', 'Acme', 'Bank');
  await service.companies.linkBank('test', 'Acme', 'Second Bank');
  const projectId = await addProject(service.database.admin);
  const storyId = await addStory(service.database.admin, projectId);
  const create = async (): Promise<string> => {
    const body = { project_id: projectId, amount: '7.50', user_hash: 'user' };
    const response = await acme.test.put(`${contributions}/create`, body).expect(201);
    return (response.body as { transaction_id: string }).transaction_id;
  };
  const contested = await create();
  await bank.test.put(`${contributions}/${contested}`, { status: 'completed' }).expect(200);
  await second.test.put(`${contributions}/${contested}`, { status: 'completed' }).expect(409);
  const repeated = await create();
  await bank.test.put(`${contributions}/${repeated}`, { status: 'completed' }).expect(200);
  await bank.test.post(`${contributions}/${repeated}/correction`, { reason: 'wrong' }).expect(201);
  await bank.test.put(`${contributions}/${repeated}`, { status: 'completed' }).expect(200);
  const mismatched = await create();
  await bank.test.put(`${contributions}/${mismatched}`, { status: 'completed', amount: '9.00' }).expect(409);
  await acme.test.put(`/company/integration/stories/${storyId}/views`, { user_hash: 'user' }).expect(204);
  const { body: endpoint } = await acme.test
    .post('/company/integration/webhook-endpoints', { url: 'https://app.example.com/' })
    .expect(201);
  await verifyEndpoint(service.database.admin, endpoint.endpoint_id as string);
  const failed = { retried: randomUUID(), dropped: randomUUID() };
  await service.database.admin.query(
    `WITH queued AS (
       INSERT INTO event_queue (environment_id, event_id, queued_at, failure_count, retry_at, problem)
       SELECT w.environment_id, f.event_id, now(), 4, 'infinity', '23503'
         FROM webhook_endpoints w CROSS JOIN unnest($1::uuid[]) AS f (event_id))
     INSERT INTO environment_events (environment_id, event_id, type, recorded_at, audience, data)
     SELECT w.environment_id, $2, 'webhook_endpoint.recovered', now(), '{}',
            jsonb_build_object('endpoint_id', w.endpoint_id, 'failing_since', NULL, 'disables_at', NULL,
                               'disabled_reason', NULL)
       FROM webhook_endpoints w`,
    [Object.values(failed), failed.retried],
  );
  await uploadAndWait(acme.test, statementFile([], { from: '2026-09-01', to: '2026-09-30' }));
  const resetting = await service.addCompany('Resetting');
  await resetting.test.post('/company/integration/sandbox/reset', {}).expect(200);
  await service.database.admin.query(
    `UPDATE environments SET retired_at = now() - interval '8 days' WHERE retired_at IS NOT NULL`,
  );
  return { mismatched, contested, repeated, ...failed };
}
