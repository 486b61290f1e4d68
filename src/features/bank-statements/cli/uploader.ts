import type { Command } from 'commander';

import { environmentArgument } from '../../../operator/cli/options';

/** The environment that uploaded, or uploads, statements. */
export const withUploader = (command: Command): Command =>
  command
    .addArgument(environmentArgument())
    .argument('<company>', 'name or company_id of the company to which the statements belong');
