import { Command, Option } from 'commander';

import type { RevocationAdvice } from '../../modules/key-pairs/revocation-advice';
import type { ListedKeyPair } from '../../modules/key-pairs/listed-key-pairs.store';
import { type EnvironmentKind, type Scope, scopes, defaultScopes, scopesOfKind } from '../../shared/scopes';
import { formatCell } from './cell';
import type { CommandIo } from './command-io';
import { act, type ActOptions, lookAt } from './operator';
import {
  actCommand,
  printResult,
  environmentArgument,
  environmentOption,
  finalCommand,
  inDays,
  lookCommand,
  wholeNumber,
} from './options';
import { type Columns, printJson, printTable } from './output';

const defaultOverlapHours = 24;
const longestOverlapHours = 7 * 24;
const defaultUnusedHours = 24;

const expiryOption = (otherwise: string): Option =>
  new Option(
    '--expires-in-days <days>',
    `expire the new pair after this many days (default: ${otherwise})`,
  ).argParser(wholeNumber(1, 3_650));

/** Hides the secret of a dry run, because its pair does not exist. */
const secretOf = (apiSecret: string, { dryRun }: ActOptions): string => (dryRun ? '(not issued)' : apiSecret);

function issueCommand(io: CommandIo): Command {
  return actCommand('issue', 'issue a key pair; its secret is shown only once')
    .addArgument(environmentArgument())
    .argument('<company>', 'company name')
    .addOption(
      new Option(
        '--scope <scope...>',
        'restrict the pair to these scopes. Put this option after the arguments (default: all that the environment allows, except webhooks:manage; only test pairs can have sandbox)',
      ).choices(scopes),
    )
    .addOption(expiryOption('never'))
    .action(
      (
        kind: EnvironmentKind,
        company: string,
        options: ActOptions & { scope?: Scope[]; expiresInDays?: number },
      ) => {
        const expiresAt = inDays(options.expiresInDays);
        const pairScopes = options.scope ?? defaultScopes(kind);
        const order = { company, kind, scopes: pairScopes, expiresAt };
        return act(
          io,
          {
            command: 'keys issue',
            arguments: { scopes: pairScopes, expires_at: expiresAt?.toISOString() ?? null },
            storesSecret: true,
            work: ({ keyPairs }) => keyPairs.issue(order),
            record: ({ apiKey }) => ({ target: `${company} ${kind}`, result: { api_key: apiKey } }),
          },
          options,
          (pair) => {
            printResult(io, options, {
              company,
              environment: kind,
              scopes: pairScopes,
              expires_at: expiresAt ?? null,
              api_key: pair.apiKey,
              api_secret: secretOf(pair.apiSecret, options),
            });
          },
        );
      },
    );
}

function rotateCommand(io: CommandIo): Command {
  return actCommand(
    'rotate',
    'replace a key pair: issue a new one with the same scopes. During the overlap, both work; then the old one expires',
  )
    .argument('<api-key>', 'API-Key of the pair to replace')
    .addOption(
      new Option('--overlap-hours <hours>', 'how long both pairs work')
        .argParser(wholeNumber(1, longestOverlapHours))
        .default(defaultOverlapHours),
    )
    .addOption(expiryOption('when the old pair would have expired'))
    .action((apiKey: string, options: ActOptions & { overlapHours: number; expiresInDays?: number }) =>
      act(
        io,
        {
          command: 'keys rotate',
          arguments: {
            overlap_hours: options.overlapHours,
            expires_in_days: options.expiresInDays ?? null,
          },
          storesSecret: true,
          work: ({ keyPairs }) =>
            keyPairs.rotate(apiKey, options.overlapHours * 60, inDays(options.expiresInDays)),
          record: (rotation) => ({
            target: apiKey,
            result: { api_key: rotation.apiKey, old_expires_at: rotation.oldExpiresAt.toISOString() },
          }),
        },
        options,
        (rotation) => {
          printResult(io, options, {
            company: rotation.old.company,
            environment: rotation.old.kind,
            scopes: rotation.old.scopes,
            old_api_key: apiKey,
            old_expires_at: rotation.oldExpiresAt,
            expires_at: rotation.expiresAt ?? null,
            api_key: rotation.apiKey,
            api_secret: secretOf(rotation.apiSecret, options),
          });
        },
      ),
    );
}

function revokeCommand(io: CommandIo): Command {
  return finalCommand('revoke', 'revoke a key pair: every process rejects it within one second')
    .argument('<api-key>', 'API-Key of the pair')
    .action((apiKey: string, options: ActOptions) =>
      act(
        io,
        {
          command: 'keys revoke',
          arguments: {},
          question: async ({ keyPairs }) => {
            const { company, kind, lastUsedAt } = await keyPairs.findLive(apiKey);
            const use = lastUsedAt === null ? 'never used' : `last used ${formatCell(lastUsedAt)}`;
            return `${apiKey} of "${company}" (${kind}), ${use}, will be rejected within one second.`;
          },
          work: ({ keyPairs }) => keyPairs.revoke(apiKey),
          record: () => ({ target: apiKey, result: { revoked: true } }),
        },
        options,
        () => {
          printResult(io, options, { api_key: apiKey, revoked: true });
        },
      ),
    );
}

const pairColumns: Columns<ListedKeyPair> = [
  ['API-KEY', (pair) => pair.apiKey, 'whole'],
  ['COMPANY', (pair) => pair.company],
  ['LAST USED', (pair) => pair.lastUsedAt, 'whole'],
  ['STATE', (pair) => pair.state, 'whole'],
  ['EXPIRES', (pair) => pair.expiresAt, 'whole'],
  [
    'SCOPES',
    ({ kind, scopes: own }) =>
      own.length === scopesOfKind(kind).length
        ? 'all'
        : own.join() === defaultScopes(kind).join()
          ? 'default'
          : own,
    'wrap',
  ],
  ['CREATED', (pair) => pair.createdAt, 'whole'],
  ['PEPPER', (pair) => pair.pepperVersion],
];

export const pairAsJson = (pair: ListedKeyPair): Record<string, unknown> => ({
  company: pair.company,
  environment: pair.kind,
  api_key: pair.apiKey,
  scopes: pair.scopes,
  state: pair.state,
  created_at: pair.createdAt,
  expires_at: pair.expiresAt,
  revoked_at: pair.revokedAt,
  last_used_at: pair.lastUsedAt,
  pepper_version: pair.pepperVersion,
});

interface ListOptions {
  json?: boolean;
  environment?: EnvironmentKind;
  all?: boolean;
}

function listCommand(io: CommandIo): Command {
  return lookCommand('list', 'list live key pairs (neither expired nor revoked) with their last use')
    .argument('[company]', 'only this company')
    .addOption(environmentOption())
    .option('--all', 'include expired and revoked pairs')
    .action((company: string | undefined, { json, environment: kind, all }: ListOptions) =>
      lookAt(
        io,
        company,
        ({ keyPairs }) => keyPairs.list({ company, kind, includeEnded: all ?? false }),
        (pairs) => {
          if (json) printJson(io, { key_pairs: pairs.map(pairAsJson) });
          else printTable(io, pairColumns, pairs, 'No key pairs found.');
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
  return lookCommand(
    'safe-to-revoke',
    'list live key pairs and whether each can be revoked: "safe", "ask" (ask the company first) or "in use". A pair is safe if it is unused, and a newer pair with at least the same scopes is in use',
  )
    .argument('[company]', 'only this company')
    .addOption(environmentOption())
    .addOption(
      new Option('--unused-hours <hours>', 'a pair is unused if it made no request for this long')
        .argParser(wholeNumber(1, 8_760))
        .default(defaultUnusedHours),
    )
    .action((company: string | undefined, options: ListOptions & { unusedHours: number }) =>
      lookAt(
        io,
        company,
        ({ keyPairs }) =>
          keyPairs.adviseRevocations({ company, kind: options.environment }, options.unusedHours),
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
    .description('issue, list, rotate and revoke key pairs')
    .addCommand(issueCommand(io))
    .addCommand(listCommand(io))
    .addCommand(rotateCommand(io))
    .addCommand(safeToRevokeCommand(io))
    .addCommand(revokeCommand(io));
}
