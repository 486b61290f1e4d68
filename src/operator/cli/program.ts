import { Command } from 'commander';

import { actionsCommand } from './actions.command';
import { companiesCommand } from './companies.command';
import { completionCommand } from './completion.command';
import { doctorCommand } from './doctor.command';
import { eventsCommand } from './events.command';
import { exitCodesHelp } from './exit-codes';
import { keysCommand } from './keys.command';
import { showsColor } from './operator';
import { peppersCommand } from './peppers.command';
import { projectsCommand } from './projects.command';
import { reconciliationCommand } from './reconciliation.command';
import { sandboxCommand } from './sandbox.command';
import { statementsCommand } from './statements.command';
import { storiesCommand } from './stories.command';
import { apply } from './style';
import { transactionsCommand } from './transactions.command';
import { usersCommand } from './users.command';
import { verifyCommand } from './verify.command';
import { webhooksCommand } from './webhooks.command';
import packageJson from '../../../package.json';

/** Commander strips the style when color is off. */
const heading = (text: string): string => apply('bold', text);

/** Options come last: one with several values would read an argument after it as a value. */
const usageOf = ({ registeredArguments, commands }: Command): string =>
  [
    ...registeredArguments.map((argument) => {
      const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
      return argument.required ? `<${name}>` : `[${name}]`;
    }),
    ...(commands.length > 0 ? ['[command]'] : []),
    '[options]',
  ].join(' ');

/** Leaves out the options, which each command has, so that descriptions have more width. */
const termOf = (command: Command): string =>
  `${command.name()} ${usageOf(command).replace(/ ?\[(command|options)\]/g, '')}`.trimEnd();

/** Makes this command and its subcommands throw on invalid usage and wrap help to the terminal. */
function configure(command: Command): void {
  command
    .exitOverride()
    .usage(usageOf(command))
    .showHelpAfterError('(run with --help for usage)')
    // Wrap descriptions even when long command names leave little width.
    .configureHelp({ minWidthToWrap: 20, styleTitle: heading, subcommandTerm: termOf })
    .configureOutput({
      getOutHasColors: () => showsColor(process.stdout),
      getErrHasColors: () => showsColor(process.stderr),
    });
  command.commands.forEach(configure);
}

/** The complete command tree, also for `completion`. */
export function createProgram(): Command {
  const program = new Command('contribution-service')
    .version(packageJson.version)
    .description(
      'Commands for operators. They use the first of these settings that is set: DATABASE_OPERATOR_URL, DATABASE_OWNER_URL, DATABASE_URL. Without any of them, they start the embedded database in DATA_DIRECTORY, and create it if necessary. Every command that changes something adds an entry to the audit log, which "actions list" shows.',
    )
    .addCommand(companiesCommand())
    .addCommand(keysCommand())
    .addCommand(peppersCommand())
    .addCommand(projectsCommand())
    .addCommand(storiesCommand())
    .addCommand(transactionsCommand())
    .addCommand(eventsCommand())
    .addCommand(statementsCommand())
    .addCommand(reconciliationCommand())
    .addCommand(usersCommand())
    .addCommand(sandboxCommand())
    .addCommand(webhooksCommand())
    .addCommand(actionsCommand())
    .addCommand(doctorCommand())
    .addCommand(verifyCommand())
    .addCommand(completionCommand())
    .addHelpText('afterAll', exitCodesHelp.replace('Exit codes:', heading));
  configure(program);
  return program;
}
