#!/usr/bin/env node
import { Command, CommanderError } from 'commander';

import { actionsCommand } from './actions.command';
import { companiesCommand } from './companies.command';
import { doctorCommand } from './doctor.command';
import { eventsCommand } from './events.command';
import { exitCodes, exitCodesHelp } from './exit-codes';
import { keysCommand } from './keys.command';
import { peppersCommand } from './peppers.command';
import { projectsCommand } from './projects.command';
import { storiesCommand } from './stories.command';
import { transactionsCommand } from './transactions.command';
import { usersCommand } from './users.command';
import { verifyCommand } from './verify.command';

const program = new Command(
  process.env['npm_lifecycle_event'] === 'ops' ? 'npm run ops --' : 'contribution-service',
)
  .description(
    "The operator's commands, for the database of DATABASE_URL or the embedded one of this checkout.",
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
  .addHelpText('afterAll', exitCodesHelp);

/** The same for every command: one that is written wrong throws instead of ending the process, and help fits a terminal. */
function configure(command: Command): void {
  command
    .exitOverride()
    .showHelpAfterError('(--help tells how it is written)')
    // Text is wrapped, however little room the names of commands and options leave for it.
    .configureHelp({ minWidthToWrap: 20 });
  command.commands.forEach(configure);
}

configure(program);
program.parseAsync().catch((error: unknown) => {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.notConfigured;
});
