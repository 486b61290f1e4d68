import { Argument, Command } from 'commander';

import { type CommandIo, printLine } from '../cli/command-io';
import { bashCompletion } from '../cli/completion/bash';
import { commandTree } from '../cli/completion/command-tree';
import { fishCompletion } from '../cli/completion/fish';
import { zshCompletion } from '../cli/completion/zsh';

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/**
 * The command that prints the script. It needs no settings and no database, because the script
 * contains all candidates.
 */
export function completionCommand(io: CommandIo): Command {
  return new Command('completion')
    .description(
      'print a script that completes commands and options in a shell. To load it in Bash: source <(bin/contribution-service completion bash)',
    )
    .addArgument(new Argument('<shell>', 'the shell that runs the script').choices(Object.keys(scripts)))
    .action((shell: keyof typeof scripts, _options: unknown, command: Command) => {
      printLine(io.stdout, scripts[shell](commandTree(command.parent ?? command)));
    });
}
