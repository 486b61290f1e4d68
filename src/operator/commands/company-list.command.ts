import type { Command } from 'commander';

import type { ListedCompany, ListedEnvironment } from '../../core/companies/companies-overview.store';
import type { CompanyLink } from '../../core/companies/bank-links-lookup.store';
import { OperatorError } from '../../shared/operator-error';
import { type CommandIo, printLine } from '../cli/command-io';
import { readCommand } from '../cli/options';
import { type Columns, printJson, printRecord, printTable } from '../cli/output';
import { runRead } from './operations';

export const unknownCompany = (name: string): OperatorError =>
  new OperatorError(`There is no company named "${name}". Run companies list to see all companies.`);

const pairsOf = (company: ListedCompany, kind: string): number | undefined =>
  company.environments.find((environment) => environment.kind === kind)?.live_key_pairs;

const columns: Columns<ListedCompany> = [
  ['NAME', (company) => company.name],
  ['TEST PAIRS', (company) => pairsOf(company, 'test'), 'whole'],
  ['PRODUCTION PAIRS', (company) => pairsOf(company, 'production'), 'whole'],
  ['SUSPENDED', (company) => company.suspendedAt, 'whole'],
  ['FROZEN', (company) => company.frozenAt, 'whole'],
  ['CREATED', (company) => company.createdAt, 'whole'],
  ['COMPANY_ID', (company) => company.companyId, 'whole'],
];

const environmentColumns: Columns<ListedEnvironment> = [
  ['ENVIRONMENT', (environment) => environment.kind, 'whole'],
  ['LIVE PAIRS', (environment) => environment.live_key_pairs, 'whole'],
  ['BANKS', (environment) => environment.banks.join(', ') || '-', 'wrap'],
  ['REQUESTS/S', (environment) => environment.requests_per_second ?? 'default'],
  ['COMPLETIONS/S', (environment) => environment.completions_per_second ?? 'default'],
  ['RESETS', (environment) => environment.resets],
  ['TAG', (environment) => environment.transaction_tag, 'whole'],
];

const linkColumns: Columns<CompanyLink> = [
  ['LINK', (link) => link.environment, 'whole'],
  ['ROLE', (link) => (link.role === 'bank' ? 'its bank' : 'its company'), 'whole'],
  ['NAME', (link) => link.company, 'wrap'],
  ['LINKED', (link) => link.linkedAt, 'whole'],
  ['UNLINKED', (link) => link.unlinkedAt, 'whole'],
  ['VOIDED', (link) => link.voidedAt, 'whole'],
];

const linkAsJson = ({ environment, role, company, linkedAt, unlinkedAt, voidedAt }: CompanyLink) => ({
  ...{ environment, role, company },
  ...{ linked_at: linkedAt, unlinked_at: unlinkedAt, voided_at: voidedAt },
});

const asRecord = (company: ListedCompany) => ({
  company_id: company.companyId,
  name: company.name,
  created_at: company.createdAt,
  suspended_at: company.suspendedAt,
  frozen_at: company.frozenAt,
  frozen_reason: company.frozenReason,
});

export function listCommand(io: CommandIo): Command {
  return readCommand('list', 'list all companies').action(({ json }: { json?: boolean }) =>
    runRead(
      io,
      ({ companiesOverview }) => companiesOverview.list(),
      (companies) => {
        if (!json) printTable(io, columns, companies, 'No companies found.');
        else {
          printJson(io, {
            companies: companies.map((company) => ({
              ...asRecord(company),
              environments: company.environments,
            })),
          });
        }
      },
    ),
  );
}

export function showCommand(io: CommandIo): Command {
  return readCommand(
    'show',
    'show a company with its environments and rate limits, its banks, and the companies whose bank it is. The links include those that ended or were voided as a mistake',
  )
    .argument('<company>', 'company name, or company_id')
    .action((name: string, { json }: { json?: boolean }) =>
      runRead(
        io,
        async ({ companiesOverview, bankLinks }) => {
          const [company] = await companiesOverview.list(name);
          if (!company) throw unknownCompany(name);
          return { company, links: await bankLinks.ofCompany(company.companyId) };
        },
        ({ company, links }) => {
          if (json) {
            const { environments } = company;
            printJson(io, { ...asRecord(company), environments, links: links.map(linkAsJson) });
            return;
          }
          printRecord(io, asRecord(company));
          printLine(io.stdout, '');
          printTable(io, environmentColumns, company.environments, '');
          printLine(io.stdout, '');
          printTable(io, linkColumns, links, 'It has never been linked.');
        },
      ),
    );
}
