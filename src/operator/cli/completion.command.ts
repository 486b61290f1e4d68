import { Argument, Command } from 'commander';

import { bashCompletion } from './completion/bash';
import { commandTree } from './completion/command-tree';
import { fishCompletion } from './completion/fish';
import { zshCompletion } from './completion/zsh';

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** Needs no settings and no database: the script contains all candidates. */
export function completionCommand(): Command {
  return new Command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts)))
    .action((shell: keyof typeof scripts, _options: unknown, command: Command) => {
      console.log(scripts[shell](commandTree(command.parent ?? command)));
    });
}
