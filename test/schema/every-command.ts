import { writeFileSync } from 'node:fs';
import path from 'node:path';

import type { Command } from 'commander';

import { operatorCommands, runOpsSeparately } from '../support/operator-commands';
import { bai2 } from '../unit/statement-files/generate';

/** Every operator's command. */
export const commands = (): readonly Command[] => operatorCommands().commands;

const ran = new Set<string>();
let settings: Readonly<Record<string, string>> = {};

/** Runs a command in this process and returns its standard output. */
async function ops(words: readonly string[], expectedExitCode = 0): Promise<string> {
  const { exitCode, stdout, stderr } = await runOpsSeparately(words, settings);
  // If a command fails, its words show which one.
  const why = exitCode === expectedExitCode ? [] : [stderr, stdout];
  expect([words, exitCode, why]).toEqual([words, expectedExitCode, []]);
  expect(stderr).not.toContain('Warning: ');
  const [name = '', subcommand = ''] = words;
  const command = commands().find((each) => each.name() === name)!;
  ran.add(command.commands.length === 0 ? name : `${name} ${subcommand}`);
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

export interface Disputed {
  /** A transaction for which the bank reported another amount. */
  mismatched: string;
  /** A transaction that another bank completed again. */
  contested: string;
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
  { mismatched, contested }: Disputed,
): Promise<ReadonlySet<string>> {
  ran.clear();
  settings = operator;
  await ops(['companies', 'create', 'Made']);
  await ops(['companies', 'list']);
  await ops(['companies', 'show', 'Made']);
  await ops(['companies', 'suspend', 'Made']);
  await ops(['companies', 'resume', 'Made']);
  await ops(['companies', 'link-bank', 'test', 'Made', 'Bank']);
  await ops(['companies', 'unlink-bank', 'test', 'Made', 'Bank']);
  await ops(['companies', 'set-rate-limits', 'test', 'Made', '--requests-per-second', '70']);
  await ops(['companies', 'rename', 'Made', 'Renamed']);
  await ops(['companies', 'rename', 'Renamed', 'Made']);
  const apiKey = await issue();
  await ops(['keys', 'rotate', apiKey]);
  await ops(['keys', 'list', 'Made', '--all']);
  await ops(['keys', 'safe-to-revoke', 'Made']);
  await ops(['keys', 'revoke', apiKey, '--yes']);
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

  await ops(['transactions', 'show', mismatched]);
  await ops(['transactions', 'list', 'Acme']);
  await ops(['transactions', 'overdue']);
  await ops(['transactions', 'totals', 'Acme']);
  await ops(['transactions', 'export', 'Acme', '--file', path.join(folder, 'transactions.csv')]);
  await ops(['transactions', 'history', mismatched]);
  await ops(['transactions', 'mismatches'], 3);
  await ops(['transactions', 'resolve', mismatched, '--reason', 'the bank has read another line']);
  await ops(['transactions', 'contested'], 3);
  await ops([
    'transactions',
    'resolve-contested',
    contested,
    '--reason',
    'the second bank took its money back',
  ]);
  const statement = path.join(folder, 'statement');
  writeFileSync(statement, bai2([]));
  await ops(['statements', 'check', statement]);
  writeFileSync(statement, bai2([{ cents: 1n, direction: 'credit', text: 'rent' }]));
  const imported = await ops(['statements', 'import', 'test', 'Acme', statement, '--json'], 3);
  const { file_id: fileId } = JSON.parse(imported) as { file_id: string };
  await ops(['statements', 'list', 'test', 'Acme']);
  await ops(['statements', 'show', 'test', 'Acme', fileId], 3);
  await ops(['statements', 'void', 'test', 'Acme', fileId, '--reason', 'another account']);
  await ops(['reconciliation', 'list', 'test', 'Acme']);
  await ops(['reconciliation', 'summary', 'test', 'Acme']);
  await ops(['reconciliation', 'report', 'test', 'Acme', '--html', path.join(folder, 'report.html')]);
  await ops(['events', 'list']);
  await ops(['events', 'feed']);
  await ops(['events', 'feed', 'Acme']);
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
