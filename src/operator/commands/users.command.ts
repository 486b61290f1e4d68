import { Command, InvalidArgumentError, Option } from 'commander';

import type { UserName } from '../../core/users/users.store';
import { OperatorError } from '../../shared/operator-error';
import type { ChangeOptions } from '../cli/change';
import type { EnvironmentKind } from '../../shared/scopes';
import { readTextFile } from './catalogue-file';
import { type CommandIo, printLine } from '../cli/command-io';
import { environmentArgument, finalCommand } from '../cli/options';
import { runChange } from './operations';

interface UserOptions extends ChangeOptions {
  userId?: string;
  userHashFile?: string;
}

function parseUserId(text: string): string {
  if (/^[1-9]\d{0,17}$/.test(text)) return text;
  throw new InvalidArgumentError('Enter a number: the user_id that "contributions show" prints.');
}

/**
 * Accepts a hash only in a file, because shell histories and process lists would show an argument.
 */
const namesUser = (command: Command): Command =>
  command
    .addArgument(environmentArgument())
    .argument('<company>', 'company name, or company_id')
    .addOption(
      new Option(
        '--user-id <number>',
        'user_id, as "contributions show" prints it; specify either this or --user-hash-file',
      ).argParser(parseUserId),
    )
    .addOption(
      new Option(
        '--user-hash-file <file>',
        'file with the user_hash that the company sends, or - for standard input',
      ).conflicts('userId'),
    );

function userNameOf(io: CommandIo, { userId, userHashFile }: UserOptions): UserName {
  if (userId !== undefined) return { userId };
  if (userHashFile === undefined)
    throw new OperatorError('Specify the user with --user-id or --user-hash-file.');
  return { userHash: readTextFile(io, userHashFile).text.trim() };
}

function forgetCommand(io: CommandIo): Command {
  return namesUser(
    finalCommand(
      'forget',
      'forget a user: clear the user_hash and the name, and delete the list of supported projects and the story views. Projects, stories, contributions and idempotency keys stay',
    ),
  ).action((kind: EnvironmentKind, company: string, options: UserOptions) => {
    const environment = { company, kind };
    // Standard input can be read only once.
    let name: UserName | undefined;
    const user = (): UserName => (name ??= userNameOf(io, options));
    return runChange(
      io,
      {
        command: 'users forget',
        question: async ({ users }) => {
          const { userId } = await users.findRemembered(environment, user());
          return `User ${userId} of "${company}" (${kind}) will be forgotten. This deletes the hash, the name, and the records of supported projects and viewed stories.`;
        },
        work: ({ users }) => users.forget(environment, user()),
        record: ({ userId, supports, storyViews }) => ({
          target: `${company} ${kind} user ${userId}`,
          result: { supports_removed: supports, story_views_removed: storyViews },
        }),
        leaves: ({ userId }) =>
          `User ${userId} of "${company}" (${kind}) is forgotten now. This cannot be undone.`,
      },
      options,
      ({ userId, supports, storyViews }) => ({
        company,
        environment: kind,
        user_id: userId,
        forgotten: true,
        supports_removed: supports,
        story_views_removed: storyViews,
      }),
    );
  });
}

function exportCommand(io: CommandIo): Command {
  const command = new Command('export')
    .description('export all data about one user as JSON; this adds an entry to the audit log')
    .option('--json', 'print one line of JSON');
  return namesUser(command).action((kind: EnvironmentKind, company: string, options: UserOptions) =>
    runChange(
      io,
      {
        command: 'users export',
        work: ({ users }) => users.readHeld({ company, kind }, userNameOf(io, options)),
        record: ({ userId }) => ({ target: `${company} ${kind} user ${userId}`, result: {} }),
        leaves: () => 'The audit log has an entry about this export, which nobody can remove. Export again.',
      },
      options,
      ({ held }) => {
        printLine(
          io.stdout,
          JSON.stringify({ company, environment: kind, ...held }, null, options.json ? 0 : 2),
        );
      },
    ),
  );
}

export function usersCommand(io: CommandIo): Command {
  return new Command('users')
    .description('export all data about a user, or forget a user')
    .addCommand(exportCommand(io))
    .addCommand(forgetCommand(io));
}
