import { Command } from 'commander';

import packageJson from '../../../package.json';
import { features as allFeatures } from '../../features';
import { actionsCommand } from '../commands/actions.command';
import { addCommand } from './added-command';
import type { CommandIo } from './command-io';
import { companiesCommand } from '../commands/companies.command';
import { completionCommand } from '../commands/completion.command';
import { doctorCommand } from '../commands/doctor.command';
import type { Program } from './command-line';
import { exitCodes, exitCodesHelp } from './exit-codes';
import { keysCommand } from '../commands/keys.command';
import { peppersCommand } from '../commands/peppers.command';
import { projectsCommand } from '../commands/projects.command';
import { storiesCommand } from '../commands/stories.command';
import { apply } from './style';
import { transactionsCommand } from '../commands/transactions.command';
import { usersCommand } from '../commands/users.command';
import { verifyCommand } from '../commands/verify.command';
import { whoamiCommand } from '../commands/whoami.command';

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

/** Makes the help of this command and its subcommands short. */
function configure(command: Command): void {
  command
    .usage(usageOf(command))
    .showHelpAfterError('(run with --help for usage)')
    // Wrap descriptions even when long command names leave little width.
    .configureHelp({ minWidthToWrap: 20, styleTitle: heading, subcommandTerm: termOf });
  command.commands.forEach(configure);
}

/** The commands of the core and of the features, also for `completion`. */
export function createProgram(io: CommandIo, features = allFeatures): Command {
  const program = new Command('contribution-service')
    .version(packageJson.version)
    .description(
      'Commands for operators. They use the first of these settings that is set: DATABASE_OPERATOR_URL, DATABASE_OWNER_URL, DATABASE_URL. Without any of them, they start the embedded database in DATA_DIRECTORY, and create it if necessary. Every command that changes something adds an entry to the audit log, which "actions list" shows.',
    )
    .addCommand(companiesCommand(io))
    .addCommand(keysCommand(io))
    .addCommand(peppersCommand(io))
    .addCommand(projectsCommand(io))
    .addCommand(storiesCommand(io))
    .addCommand(transactionsCommand(io))
    .addCommand(usersCommand(io))
    .addCommand(actionsCommand(io))
    .addCommand(whoamiCommand(io))
    .addCommand(doctorCommand(io))
    .addCommand(verifyCommand(io))
    .addCommand(completionCommand(io))
    .addHelpText('afterAll', exitCodesHelp.replace('Exit codes:', heading));
  for (const added of features.flatMap(({ commands = [] }) => commands)) addCommand(program, io, added);
  configure(program);
  return program;
}

export const operatorProgram: Program = { create: createProgram, invalid: exitCodes.notConfigured };
