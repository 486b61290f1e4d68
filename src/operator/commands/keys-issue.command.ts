import type { Command } from 'commander';
import { Option } from 'commander';

import { listScopes } from '../../contracts';
import { type EnvironmentKind, type Purpose, purposes, type Scope } from '../../shared/scopes';
import type { Change, ChangeOptions } from '../cli/change';
import type { CommandIo } from '../cli/command-io';
import { changeCommand, environmentArgument, inDays, wholeNumber } from '../cli/options';
import { shellWords, undoWith } from '../cli/shell-words';
import { runChange, type Operations } from './operations';

const defaultOverlapHours = 24;
const longestOverlapHours = 7 * 24;

interface ExpiryOptions {
  expiresInDays?: number;
  never?: boolean;
}

const withExpiry = (command: Command, otherwise: string): Command =>
  command
    .addOption(
      new Option(
        '--expires-in-days <days>',
        `expire the new pair after this many days (default: ${otherwise})`,
      )
        .argParser(wholeNumber(1, 3_650))
        .conflicts('never'),
    )
    .option('--never', 'the new pair does not expire');

/** Hides the secret of a dry run, because its pair does not exist. */
const secretOf = (apiSecret: string, { dryRun }: ChangeOptions): string =>
  dryRun ? '(not issued)' : apiSecret;

export const revocation = (apiKey: string): Change<Operations, void> => ({
  command: 'keys revoke',
  work: ({ keyPairs }) => keyPairs.revoke(apiKey),
  record: () => ({ target: apiKey, result: { revoked: true } }),
  leaves: () => `The pair ${apiKey} is revoked now. This cannot be undone. Issue another one.`,
});

const unseenPair = (apiKey: string): string =>
  `The new pair ${apiKey} is live, nobody saw its secret, and the command could not revoke it. ${undoWith('keys', 'revoke', apiKey)}`;

const endOfOld = (apiKey: string, { oldExpiresAt }: { oldExpiresAt: Date }): string =>
  `The old pair expires at ${oldExpiresAt.toISOString()}. Before that, rotate it again: ${shellWords('keys', 'rotate', apiKey)}`;

interface IssueOptions extends ChangeOptions, ExpiryOptions {
  for?: Purpose;
  scope?: Scope[];
}

/** Production pairs live with real money, so nothing about them is implied. */
function requireChoices(command: Command, kind: EnvironmentKind, options: IssueOptions): void {
  if (kind === 'test') return;
  if (options.for === undefined && options.scope === undefined)
    command.error(`error: say what the production pair is for: --for ${purposes.join('|')}, or --scope.`);
  if (options.expiresInDays === undefined && !options.never)
    command.error('error: say when the production pair expires: --expires-in-days <days>, or --never.');
}

export function issueCommand(io: CommandIo): Command {
  const command = changeCommand('issue', 'issue a key pair; its secret is shown only once')
    .addArgument(environmentArgument())
    .argument('<company>', 'company name, or company_id')
    .addOption(
      new Option(
        '--for <purpose>',
        'what the pair is for. sdk creates contributions, bank completes and returns them, read-only changes nothing, and everything is all that the environment allows except webhooks:manage. Required for production, unless you choose scopes (default for test: everything)',
      )
        .choices(purposes)
        .conflicts('scope'),
    )
    .addOption(
      new Option(
        '--scope <scope...>',
        'give the pair these scopes. Put this option after the arguments (only test pairs can have sandbox)',
      ).choices(listScopes().all),
    );
  return withExpiry(command, 'required for production; never for test').action(
    (kind: EnvironmentKind, company: string, options: IssueOptions, issue: Command) => {
      requireChoices(issue, kind, options);
      const expiresAt = inDays(options.expiresInDays);
      const pairScopes = options.scope ?? listScopes().for(options.for ?? 'everything', kind);
      const order = { company, kind, scopes: pairScopes, expiresAt };
      return runChange(
        io,
        {
          command: 'keys issue',
          arguments: { scopes: pairScopes, expires_at: expiresAt?.toISOString() ?? null },
          work: ({ keyPairs }) => keyPairs.issue(order),
          record: ({ apiKey }) => ({ target: `${company} ${kind}`, result: { api_key: apiKey } }),
          leaves: ({ apiKey }) => unseenPair(apiKey),
          secret: {
            revocation: ({ apiKey }) => revocation(apiKey),
            afterRevocation: ({ apiKey }) => `The command revoked the new pair ${apiKey}. Issue another one.`,
          },
        },
        options,
        (pair) => ({
          company,
          environment: kind,
          scopes: pairScopes,
          expires_at: expiresAt ?? null,
          api_key: pair.apiKey,
          api_secret: secretOf(pair.apiSecret, options),
        }),
      );
    },
  );
}

export function rotateCommand(io: CommandIo): Command {
  const command = changeCommand(
    'rotate',
    'replace a key pair: issue a new one with the same scopes. During the overlap, both work; then the old one expires',
  )
    .argument('<api-key>', 'API-Key of the pair to replace')
    .addOption(
      new Option('--overlap-hours <hours>', 'how long both pairs work')
        .argParser(wholeNumber(1, longestOverlapHours))
        .default(defaultOverlapHours),
    );
  return withExpiry(command, 'as many days as the old pair was issued for').action(
    (apiKey: string, options: ChangeOptions & ExpiryOptions & { overlapHours: number }) =>
      runChange(
        io,
        {
          command: 'keys rotate',
          arguments: {
            overlap_hours: options.overlapHours,
            expires: options.expiresInDays ?? (options.never ? 'never' : 'same'),
          },
          work: ({ keyPairs }) =>
            keyPairs.rotate(
              apiKey,
              options.overlapHours * 60,
              inDays(options.expiresInDays) ?? (options.never ? 'never' : 'same'),
            ),
          record: (rotation) => ({
            target: apiKey,
            result: { api_key: rotation.apiKey, old_expires_at: rotation.oldExpiresAt.toISOString() },
          }),
          leaves: (rotation) => `${unseenPair(rotation.apiKey)} ${endOfOld(apiKey, rotation)}`,
          secret: {
            revocation: (rotation) => revocation(rotation.apiKey),
            afterRevocation: (rotation) =>
              `The command revoked the new pair ${rotation.apiKey}. ${endOfOld(apiKey, rotation)}`,
          },
        },
        options,
        (rotation) => ({
          company: rotation.old.company,
          environment: rotation.old.kind,
          scopes: rotation.old.scopes,
          old_api_key: apiKey,
          old_expires_at: rotation.oldExpiresAt,
          expires_at: rotation.expiresAt,
          api_key: rotation.apiKey,
          api_secret: secretOf(rotation.apiSecret, options),
        }),
      ),
  );
}
