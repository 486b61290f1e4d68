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
import { storiesCommand } from './stories.command';
import { apply } from './style';
import { transactionsCommand } from './transactions.command';
import { usersCommand } from './users.command';
import { verifyCommand } from './verify.command';
import packageJson from '../../../package.json';

/** Commander removes the style where there is no color. */
const heading = (text: string): string => apply('bold', text);

/**
 * The same for every command: one that is written wrong throws instead of ending the process, and
 * help fits a terminal.
 */
function configure(command: Command): void {
  command
    .exitOverride()
    .showHelpAfterError('(run with --help for usage)')
    // Text is wrapped, however little room the names of commands and options leave for it.
    .configureHelp({ minWidthToWrap: 20, styleTitle: heading })
    .configureOutput({
      getOutHasColors: () => showsColor(process.stdout),
      getErrHasColors: () => showsColor(process.stderr),
    });
  command.commands.forEach(configure);
}

/** All commands. `completion` knows them from here. */
export function createProgram(): Command {
  const program = new Command('contribution-service')
    .version(packageJson.version)
    .description(
      'Operator commands. They connect to the first of DATABASE_OPERATOR_URL, DATABASE_OWNER_URL and DATABASE_URL that is set, or else to the embedded database of this checkout.',
    )
    .addCommand(companiesCommand())
    .addCommand(keysCommand())
    .addCommand(peppersCommand())
    .addCommand(projectsCommand())
    .addCommand(storiesCommand())
    .addCommand(transactionsCommand())
    .addCommand(eventsCommand())
    .addCommand(usersCommand())
    .addCommand(actionsCommand())
    .addCommand(doctorCommand())
    .addCommand(verifyCommand())
    .addCommand(completionCommand())
    .addHelpText('afterAll', exitCodesHelp.replace('Exit codes:', heading));
  configure(program);
  return program;
}
