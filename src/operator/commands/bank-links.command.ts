import { type Command, Option } from 'commander';

import type { MistakenCompletion } from '../../core/companies/bank-links-lookup.store';
import type {
  EndPreview,
  LinkPreview,
  NamedLink,
  VoidPreview,
} from '../../core/companies/bank-links.service';
import type { BankLink } from '../../core/companies/bank-links.store';
import type { EnvironmentKind } from '../../shared/scopes';
import type { ChangeOptions, Read } from '../cli/change';
import { type CommandIo, printLine } from '../cli/command-io';
import { confirmedCommand, environmentArgument, parseTime, printResult } from '../cli/options';
import { type Columns, printTable } from '../cli/output';
import { shellWords, undoWith } from '../cli/shell-words';
import { runChange, type Operations } from './operations';

const linkCommand = (name: string, description: string): Command =>
  confirmedCommand(name, description)
    .addArgument(environmentArgument())
    .argument('<company>', 'company name, or company_id')
    .argument('<bank>', 'name or company_id of the bank, which is also a company');

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

/** "1 pending contribution", "2 pending contributions" */
const counted = (count: number, what: string): string =>
  `${count}${what} ${count === 1 ? 'contribution' : 'contributions'}`;
const pendingOnes = (count: number, kind: EnvironmentKind): string => counted(count, ` pending ${kind}`);

/** Who completes without the bank. */
const completersWithout = (company: string, { otherBanks }: Pick<EndPreview, 'otherBanks'>): string =>
  otherBanks.length > 0 ? quoted(otherBanks) : `"${company}" itself`;

function linkQuestion({ kind, company, bank }: NamedLink, preview: LinkPreview): string | undefined {
  const { linkedAt, pending, otherBanks, companiesOfCompany, canComplete } = preview;
  if (linkedAt) return undefined;
  const lines = [
    `"${bank}" will be the bank of "${company}" in ${kind}:`,
    `  From then on, "${bank}" completes contributions of "${company}". "${company}" itself cannot complete them.`,
    `  "${bank}" will see ${pendingOnes(pending, kind)} of "${company}", and can complete them.`,
    otherBanks.length > 0
      ? `  Linked at the same time: ${quoted(otherBanks)}. Each of these banks can complete too.`
      : '  No other bank is linked.',
  ];
  if (!canComplete)
    lines.push(
      `  "${bank}" has no live key pair with contributions:complete yet, so it can complete nothing.`,
    );
  if (companiesOfCompany.length > 0)
    lines.push(`  "${company}" is itself the bank of ${quoted(companiesOfCompany)}. Did you swap the two?`);
  return lines.join('\n');
}

interface LinkOptions extends ChangeOptions {
  bankAlsoCreates?: boolean;
}

export function linkBankCommand(io: CommandIo): Command {
  return linkCommand(
    'link-bank',
    'link a bank to a company. The bank then completes all contributions, including those that are already pending. The company can no longer complete them. A bank has no contributions and no banks of its own in this environment; if it has key pairs, one of them can complete',
  )
    .option('--bank-also-creates', 'the bank may have contributions or banks of its own')
    .action((kind: EnvironmentKind, company: string, bank: string, options: LinkOptions) => {
      const { bankAlsoCreates = false } = options;
      const named = { kind, company, bank };
      return runChange(
        io,
        {
          command: 'companies link-bank',
          arguments: { bank, ...(bankAlsoCreates ? { bank_also_creates: true } : {}) },
          question: async ({ bankLinks }) =>
            linkQuestion(named, await bankLinks.previewLink(named, bankAlsoCreates)),
          work: async ({ companies, bankLinks }) => {
            const preview = await bankLinks.previewLink(named, bankAlsoCreates);
            return { ...preview, changed: await companies.linkBank(kind, company, bank) };
          },
          record: ({ changed }) => ({ target: `${company} ${kind}`, result: { linked: true, changed } }),
          leaves: ({ changed }) =>
            changed
              ? `The bank "${bank}" is linked to "${company}" (${kind}) now. ${undoWith('companies', 'unlink-bank', kind, company, bank)}. If the link was a mistake, add --as-mistake.`
              : undefined,
        },
        options,
        ({ changed, pending, otherBanks }) => ({
          ...{ environment: kind, company, bank, linked: true, changed },
          pending_contributions: pending,
          other_banks: otherBanks,
        }),
      );
    });
}

function unlinkQuestion({ kind, company, bank }: NamedLink, preview: EndPreview): string {
  const { pending, kept } = preview;
  return [
    `"${bank}" will no longer be the bank of "${company}" in ${kind}:`,
    `  "${bank}" still sees and completes what "${company}" created during the link: ${pendingOnes(kept, kind)}.`,
    `  ${completersWithout(company, preview)} can complete all others: ${pendingOnes(pending - kept, kind)}, and what "${company}" creates from then on.`,
    '  If the link was a mistake, and the bank must see nothing of it, use --as-mistake.',
  ].join('\n');
}

/** Names the link by its times. */
const linkOf = ({ linkedAt, unlinkedAt }: BankLink): string =>
  `from ${linkedAt.toISOString()} ${unlinkedAt ? `to ${unlinkedAt.toISOString()}` : 'until now'}`;

function voidQuestion({ kind, company, bank }: NamedLink, preview: VoidPreview): string | undefined {
  const { link, pending, kept, completed } = preview;
  if (link.voidedAt) return undefined;
  return [
    `The link of "${bank}" to "${company}" in ${kind} ${linkOf(link)} will count as a mistake, as if it had never been made. This cannot be undone:`,
    `  "${bank}" sees only what it completed, and completes nothing else. For other contributions that it has seen, it gets 404.`,
    kept > 0
      ? `  Its other links still show it ${pendingOnes(kept, kind)}.`
      : `  It no longer sees ${pendingOnes(pending, kind)} of "${company}".`,
    `  ${completersWithout(company, preview)} can complete the contributions of "${company}".`,
    `  "${bank}" keeps what it completed: ${counted(completed.length, '')} without returns. It can record no returns for them afterwards.`,
    `  Its statement entries about other contributions become not_found. Look at reconciliation list first, and ask "${bank}" what it has paid.`,
  ].join('\n');
}

const completedColumns: Columns<MistakenCompletion> = [
  ['TRANSACTION_ID', ({ transactionId }) => transactionId, 'whole'],
  ['AMOUNT', ({ amount }) => amount, 'whole'],
  ['COMPLETED', ({ completedAt }) => completedAt, 'whole'],
  ['BANK_REFERENCE', ({ bankReference }) => bankReference],
];

/** Completions that began before the link was voided may end after it. */
async function completedUnder(
  named: NamedLink,
  link: BankLink,
  read: Read<Operations>,
): Promise<MistakenCompletion[]> {
  await read(({ bankLinks }) => bankLinks.waitForWriters());
  return read(({ bankLinks }) => bankLinks.mistakenCompletions(named, link));
}

interface UnlinkOptions extends ChangeOptions {
  asMistake?: boolean;
  linkedAt?: Date;
}

function voidLink(io: CommandIo, named: NamedLink, options: UnlinkOptions): Promise<void> {
  const { kind, company, bank } = named;
  const { linkedAt, json, dryRun } = options;
  const times = ({ link }: { link: BankLink }) => ({
    linked_at: link.linkedAt,
    unlinked_at: link.unlinkedAt,
    voided_at: link.voidedAt,
  });
  return runChange(
    io,
    {
      command: 'companies unlink-bank',
      arguments: { bank, as_mistake: true },
      question: async ({ bankLinks }) => voidQuestion(named, await bankLinks.previewVoid(named, linkedAt)),
      work: ({ bankLinks }) => bankLinks.void(named, linkedAt),
      record: (done) => ({
        target: `${company} ${kind}`,
        result: { linked: false, changed: done.isChanged, ...times(done) },
      }),
      leaves: ({ link, isChanged }) =>
        isChanged
          ? `The link of "${bank}" to "${company}" (${kind}) is voided now. This cannot be undone, but you can link the bank again. List what the bank completed with: ${shellWords('companies', 'unlink-bank', kind, company, bank, '--as-mistake', '--linked-at', link.linkedAt.toISOString())}`
          : undefined,
    },
    options,
    async (done, read) => {
      const completed = await completedUnder(named, done.link, read);
      printResult(io, options, {
        ...{ environment: kind, company, bank, linked: false, changed: done.isChanged, ...times(done) },
        completed_by_bank: json ? completed.map((one) => one.transactionId) : completed.length,
      });
      if (json || completed.length === 0) return;
      printLine(io.stdout, '');
      printTable(io, completedColumns, completed, '');
      printLine(
        io.stderr,
        `The bank completed these contributions${dryRun ? '' : ', and keeps them'}. Take back each one for which no money moved, with: contributions correct ID`,
      );
    },
  );
}

function endLink(io: CommandIo, named: NamedLink, options: UnlinkOptions): Promise<void> {
  const { kind, company, bank } = named;
  return runChange(
    io,
    {
      command: 'companies unlink-bank',
      arguments: { bank },
      question: async ({ bankLinks }) => unlinkQuestion(named, await bankLinks.previewUnlink(named)),
      work: async ({ companies, bankLinks }) => {
        const preview = await bankLinks.previewUnlink(named);
        await companies.unlinkBank(kind, company, bank);
        return preview;
      },
      record: () => ({ target: `${company} ${kind}`, result: { linked: false, changed: true } }),
      leaves: () =>
        `The bank "${bank}" is unlinked from "${company}" (${kind}) now. ${undoWith('companies', 'link-bank', kind, company, bank)}`,
    },
    options,
    ({ pending, kept, otherBanks }) => ({
      ...{ environment: kind, company, bank, linked: false, changed: true },
      pending_contributions: pending,
      pending_contributions_of_bank: kept,
      other_banks: otherBanks,
    }),
  );
}

export function unlinkBankCommand(io: CommandIo): Command {
  const command = linkCommand(
    'unlink-bank',
    'unlink a bank from a company. The bank still completes contributions that were created while it was linked. The company completes the others itself, unless it has another bank. With --as-mistake, the link counts as if it had never been made, and this cannot be undone',
  )
    .option(
      '--as-mistake',
      'void the link: the bank sees only what it completed. Prints these contributions, to correct them',
    )
    .addOption(
      new Option(
        '--linked-at <time>',
        'with --as-mistake, the start of the link, as "companies show" prints it (default: the active link, or the only one)',
      ).argParser(parseTime),
    );
  return command.action((kind: EnvironmentKind, company: string, bank: string, options: UnlinkOptions) => {
    const named = { kind, company, bank };
    if (options.asMistake) return voidLink(io, named, options);
    if (options.linkedAt) command.error('error: --linked-at needs --as-mistake.');
    return endLink(io, named, options);
  });
}
