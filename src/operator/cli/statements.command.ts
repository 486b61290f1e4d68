import { Command } from 'commander';

import { checkCommand } from './statement-check.command';
import { importCommand } from './statement-import.command';
import { listCommand, showCommand, voidCommand } from './statement-files.command';

export function statementsCommand(): Command {
  return new Command('statements')
    .description('read, import, show and void bank statements')
    .addCommand(checkCommand())
    .addCommand(importCommand())
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(voidCommand());
}
