import { Command, Option } from 'commander';

import type { RevocationAdvice } from '../modules/companies/key-rotation.service';
import type { ListedKeyPair } from '../modules/companies/key-rotation.store';
import { type EnvironmentKind, type Scope, scopes } from '../shared/scopes';
import { act, type ActOptions, look } from './operator';
import {
  actCommand,
  answer,
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

const expiryOption = (): Option =>
  new Option('--expires-in-days <days>', 'let the new pair expire').argParser(wholeNumber(1, 3_650));

/** In a dry run the secret is of a pair that does not exist. */
const secretOf = (apiSecret: string, { dryRun }: ActOptions): string => (dryRun ? '(not issued)' : apiSecret);

function issueCommand(): Command {
  return actCommand('issue', 'issue a key pair; its secret is shown now and never again')
    .addArgument(environmentArgument())
    .argument('<company>', 'name of the company')
    .addOption(
      new Option('--scope <scope...>', 'restrict the pair').choices(scopes).default([...scopes], 'all'),
    )
    .addOption(expiryOption())
    .action(
      (
        kind: EnvironmentKind,
        company: string,
        options: ActOptions & { scope: Scope[]; expiresInDays?: number },
      ) => {
        const expiresAt = inDays(options.expiresInDays);
        const order = { company, kind, scopes: options.scope, expiresAt };
        return act(
          {
            command: 'keys issue',
            arguments: { scopes: options.scope, expires_at: expiresAt?.toISOString() ?? null },
            storesSecret: true,
            work: ({ companies }) => companies.issueKeyPair(order),
            record: ({ apiKey }) => ({ target: `${company} ${kind}`, result: { api_key: apiKey } }),
          },
          options,
          (pair) => {
            answer(options, {
              company,
              environment: kind,
              scopes: options.scope,
              expires_at: expiresAt?.toISOString() ?? null,
              api_key: pair.apiKey,
              api_secret: secretOf(pair.apiSecret, options),
            });
          },
        );
      },
    );
}

function rotateCommand(): Command {
  return actCommand(
    'rotate',
    'issue a successor with the same scopes; the old pair goes on working for the overlap, and then ends',
  )
    .argument('<api-key>', 'API-Key of the old pair')
    .addOption(
      new Option('--overlap-hours <hours>', 'how long both work')
        .argParser(wholeNumber(1, longestOverlapHours))
        .default(defaultOverlapHours),
    )
    .addOption(expiryOption())
    .action((apiKey: string, options: ActOptions & { overlapHours: number; expiresInDays?: number }) =>
      act(
        {
          command: 'keys rotate',
          arguments: {
            overlap_hours: options.overlapHours,
            expires_in_days: options.expiresInDays ?? null,
          },
          storesSecret: true,
          work: ({ keyRotation }) =>
            keyRotation.rotate(apiKey, options.overlapHours * 60, inDays(options.expiresInDays)),
          record: (rotation) => ({
            target: apiKey,
            result: { api_key: rotation.apiKey, old_expires_at: rotation.oldExpiresAt.toISOString() },
          }),
        },
        options,
        (rotation) => {
          answer(options, {
            company: rotation.old.company,
            environment: rotation.old.kind,
            scopes: rotation.old.scopes,
            old_api_key: apiKey,
            old_expires_at: rotation.oldExpiresAt.toISOString(),
            expires_at: rotation.expiresAt?.toISOString() ?? null,
            api_key: rotation.apiKey,
            api_secret: secretOf(rotation.apiSecret, options),
          });
        },
      ),
    );
}

function revokeCommand(): Command {
  return finalCommand('revoke', 'revoke a key pair at once, in every process')
    .argument('<api-key>', 'its API-Key')
    .action((apiKey: string, options: ActOptions) =>
      act(
        {
          command: 'keys revoke',
          arguments: {},
          question: async ({ keyRotation }) => {
            const { company, kind, lastUsedAt } = await keyRotation.findLive(apiKey);
            const use = lastUsedAt === null ? 'never used' : `last used ${lastUsedAt.toISOString()}`;
            return `${apiKey} of "${company}" (${kind}), ${use}, will be refused from now on.`;
          },
          work: ({ companies }) => companies.revokeKeyPair(apiKey),
          record: () => ({ target: apiKey, result: { revoked: true } }),
        },
        options,
        () => {
          answer(options, { api_key: apiKey, revoked: true });
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
  ['SCOPES', (pair) => (pair.scopes.length === scopes.length ? 'all' : pair.scopes), 'wrap'],
  ['CREATED', (pair) => pair.createdAt, 'whole'],
  ['PEPPER', (pair) => pair.pepperVersion],
];

/** A key pair as JSON has it. */
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

function listCommand(): Command {
  return lookCommand('list', 'list the live key pairs, with their last use')
    .argument('[company]', 'only those of one company')
    .addOption(environmentOption())
    .option('--all', 'those too that have expired or were revoked')
    .action((company: string | undefined, { json, environment: kind, all }: ListOptions) =>
      look(
        ({ keyRotation }) => keyRotation.list({ company, kind, includeEnded: all ?? false }),
        (pairs) => {
          if (json) printJson({ key_pairs: pairs.map(pairAsJson) });
          else printTable(pairColumns, pairs, 'There is no key pair.');
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

function safeToRevokeCommand(): Command {
  return lookCommand(
    'safe-to-revoke',
    'which live pairs can be revoked: "safe" when they are out of use and a newer pair is used in their place',
  )
    .argument('[company]', 'only those of one company')
    .addOption(environmentOption())
    .addOption(
      new Option('--unused-hours <hours>', 'how long without use counts as out of use')
        .argParser(wholeNumber(1, 8_760))
        .default(defaultUnusedHours),
    )
    .action((company: string | undefined, options: ListOptions & { unusedHours: number }) =>
      look(
        ({ keyRotation }) =>
          keyRotation.adviseRevocations({ company, kind: options.environment }, options.unusedHours),
        (advice) => {
          if (!options.json) {
            printTable(adviceColumns, advice, 'There is no live key pair.');
            return;
          }
          printJson({
            key_pairs: advice.map(({ pair, verdict, reason }) => ({ ...pairAsJson(pair), verdict, reason })),
          });
        },
      ),
    );
}

export function keysCommand(): Command {
  return new Command('keys')
    .description('key pairs: issue, rotate, revoke')
    .addCommand(issueCommand())
    .addCommand(listCommand())
    .addCommand(rotateCommand())
    .addCommand(safeToRevokeCommand())
    .addCommand(revokeCommand());
}
