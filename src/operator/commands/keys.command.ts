import { Command, Option } from 'commander';

import type { RevocationAdvice } from '../../core/key-pairs/revocation-advice';
import type { ListedKeyPair } from '../../core/key-pairs/listed-key-pairs.store';
import { listScopes } from '../../contracts';
import type { EnvironmentKind } from '../../shared/scopes';
import type { ChangeOptions } from '../cli/change';
import { lastUse } from '../cli/cell';
import type { CommandIo } from '../cli/command-io';
import { activityCommand } from './key-activity.command';
import { issueCommand, revocation, rotateCommand } from './keys-issue.command';
import { environmentOption, finalCommand, readCommand, wholeNumber } from '../cli/options';
import { type Columns, type List, printJson, printList, printTable, rowAsJson } from '../cli/output';
import { runChange, runReadOf } from './operations';

const defaultUnusedHours = 24;

function revokeCommand(io: CommandIo): Command {
  return finalCommand('revoke', 'revoke a key pair: every process rejects it within one second')
    .argument('<api-key>', 'API-Key of the pair')
    .action((apiKey: string, options: ChangeOptions) =>
      runChange(
        io,
        {
          ...revocation(apiKey),
          question: async ({ keyPairs }) => {
            const { company, kind, lastUsedAt } = await keyPairs.findLive(apiKey);
            return `${apiKey} of "${company}" (${kind}), ${lastUse(lastUsedAt)}, will be rejected within one second.`;
          },
        },
        options,
        () => ({ api_key: apiKey, revoked: true }),
      ),
    );
}

/** All scopes of the environment, and those that it has by default, in one word. */
function scopesInWords({ kind, scopes: own }: ListedKeyPair): string | readonly string[] {
  const scopes = listScopes();
  if (own.length === scopes.ofKind(kind).length) return 'all';
  return own.join() === scopes.byDefault(kind).join() ? 'default' : own;
}

const listedPairs: List<ListedKeyPair> = {
  name: 'key_pairs',
  fields: [
    ['api_key', (pair) => pair.apiKey, 'API-KEY', 'whole'],
    ['expires_at', (pair) => pair.expiresAt, 'EXPIRES', 'whole'],
    ['scopes', (pair) => pair.scopes],
    [undefined, scopesInWords, 'SCOPES', 'wrap'],
    ['company', (pair) => pair.company, 'COMPANY'],
    ['environment', (pair) => pair.kind],
    ['state', (pair) => pair.state, 'STATE', 'whole'],
    ['last_used_at', (pair) => pair.lastUsedAt, 'LAST USED', 'whole'],
    ['revoked_at', (pair) => pair.revokedAt],
    ['created_at', (pair) => pair.createdAt, 'CREATED', 'whole'],
    ['pepper_version', (pair) => pair.pepperVersion, 'PEPPER'],
  ],
  whenEmpty: 'No key pairs found.',
};

export const pairAsJson = (pair: ListedKeyPair): Record<string, unknown> => rowAsJson(listedPairs, pair);

interface ListOptions {
  json?: boolean;
  environment?: EnvironmentKind;
  all?: boolean;
}

function listCommand(io: CommandIo): Command {
  return readCommand('list', 'list live key pairs (neither expired nor revoked) with their last use')
    .argument('[company]', 'only this company: its name or company_id')
    .addOption(environmentOption())
    .option('--all', 'include expired and revoked pairs')
    .action((company: string | undefined, { json, environment: kind, all }: ListOptions) =>
      runReadOf(
        io,
        company,
        ({ keyPairs }, name) => keyPairs.list({ company: name, kind, includeEnded: all ?? false }),
        (pairs) => {
          printList(io, listedPairs, pairs, json);
        },
      ),
    );
}

const adviceColumns: Columns<RevocationAdvice> = [
  ['VERDICT', ({ verdict }) => verdict, 'whole'],
  ['API-KEY', ({ pair }) => pair.apiKey, 'whole'],
  ['WHY', ({ reason }) => reason, 'wrap'],
  ['COMPANY', ({ pair }) => pair.company],
  ['LAST USED', ({ pair }) => pair.lastUsedAt, 'whole'],
];

function safeToRevokeCommand(io: CommandIo): Command {
  return readCommand(
    'safe-to-revoke',
    'list live key pairs and whether each can be revoked: "safe", "ask" (ask the company first) or "in use". A pair is safe if it is unused, and a newer pair with at least the same scopes is in use',
  )
    .argument('[company]', 'only this company: its name or company_id')
    .addOption(environmentOption())
    .addOption(
      new Option('--unused-hours <hours>', 'a pair is unused if it made no request for this long')
        .argParser(wholeNumber(1, 8_760))
        .default(defaultUnusedHours),
    )
    .action((company: string | undefined, options: ListOptions & { unusedHours: number }) =>
      runReadOf(
        io,
        company,
        ({ keyPairs }, name) =>
          keyPairs.adviseRevocations({ company: name, kind: options.environment }, options.unusedHours),
        (advice) => {
          if (!options.json) {
            printTable(io, adviceColumns, advice, 'No live key pairs found.');
            return;
          }
          printJson(io, {
            key_pairs: advice.map(({ pair, verdict, reason }) => ({ ...pairAsJson(pair), verdict, reason })),
          });
        },
      ),
    );
}

export function keysCommand(io: CommandIo): Command {
  return new Command('keys')
    .description('issue, list, rotate and revoke key pairs, and show what they did')
    .addCommand(issueCommand(io))
    .addCommand(listCommand(io))
    .addCommand(rotateCommand(io))
    .addCommand(activityCommand(io))
    .addCommand(safeToRevokeCommand(io))
    .addCommand(revokeCommand(io));
}
