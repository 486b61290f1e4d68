import type { Command } from 'commander';

import type { CommandIo } from '../cli/command-io';
import { readCommand } from '../cli/options';
import { printJson, printRecord } from '../cli/output';
import { runRead } from './operations';

/** Says who the audit log would name, and which database the commands change. */
export function whoamiCommand(io: CommandIo): Command {
  return readCommand('whoami', 'show the database login that commands use, and the database').action(
    ({ json }: { json?: boolean }) =>
      runRead(
        io,
        async ({ login }, config) => ({
          ...(await login.read()),
          isProduction: config.NODE_ENV === 'production',
        }),
        ({ login, database, server, isOperator, isOwner, isProduction }) => {
          (json ? printJson : printRecord)(io, {
            ...{ login, database, server, production: isProduction },
            role: isOwner ? 'owner' : isOperator ? 'operator' : 'other',
          });
        },
      ),
  );
}
