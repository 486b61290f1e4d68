import type { Command } from 'commander';

import type { ChangeOptions } from '../cli/change';
import type { CommandIo } from '../cli/command-io';
import { finalCommand } from '../cli/options';
import { runChange } from './operations';

export const deleteCommand = (io: CommandIo): Command =>
  finalCommand('delete', 'delete a company without contributions, links and live key pairs')
    .argument('<company>', 'company name, or company_id')
    .action((company: string, options: ChangeOptions) =>
      runChange(
        io,
        {
          command: 'companies delete',
          question: async ({ companies }) => {
            const { name, companyId } = await companies.find(company);
            return `The company "${name}" (company_id ${companyId}) and its revoked key pairs will be deleted.`;
          },
          work: ({ companies }) => companies.delete(company),
          record: ({ name, companyId }) => ({ target: name, result: { company_id: companyId } }),
          leaves: ({ name, companyId }) =>
            `The company "${name}" with the company_id ${companyId} is deleted now. This cannot be undone.`,
        },
        options,
        ({ name, companyId }) => ({ company_id: companyId, name, deleted: true }),
      ),
    );
