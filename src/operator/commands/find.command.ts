import { type Command, InvalidArgumentError, Option } from 'commander';

import {
  findContributions,
  type FoundBy,
  type FoundContributions,
} from '../contribution-lookup/find-contributions';
import { apiKeyPattern } from '../../shared/api-key';
import { parseAmountToCents } from '../../shared/money';
import { OperatorError } from '../../shared/operator-error';
import type { EnvironmentKind } from '../../shared/scopes';
import { readTextFile } from './catalogue-file';
import { type CommandIo, printLine } from '../cli/command-io';
import {
  environmentOption,
  limitOption,
  parseDay,
  readCommand,
  skipOption,
  wholeNumber,
} from '../cli/options';
import { oneMore, pageOf, printJson, printTable } from '../cli/output';
import { runReadOf } from './operations';
import { transactionBody } from './transaction-body';
import { transactionColumns } from './transaction-columns';

interface FindOptions {
  json?: boolean;
  company?: string;
  environment?: EnvironmentKind;
  userHashFile?: string;
  apiKey?: string;
  project?: number;
  day?: string;
  amount?: bigint;
  limit: number;
  skip: number;
}

const meanings: Readonly<Record<FoundBy, string>> = {
  transaction_id: 'with this transaction_id',
  similar_transaction_id: 'whose transaction_id differs from this text by one mistake',
  idempotency_key: 'with this idempotency key',
  bank_reference: 'with this bank_reference',
};

function parseAmount(text: string): bigint {
  const cents = parseAmountToCents(text);
  if (cents !== undefined) return cents;
  throw new InvalidArgumentError('Enter US dollars such as 25 or 25.00.');
}

function parseApiKey(text: string): string {
  if (apiKeyPattern.test(text)) return text;
  throw new InvalidArgumentError('Enter an API-Key: cpk_test_… or cpk_production_….');
}

/** A request id is in the log only. */
const nothingFound = (text: string | undefined): string =>
  text === undefined
    ? 'Nothing found.'
    : `Nothing found: no contribution has "${text}" as transaction_id, also with one mistake, as idempotency key or as bank_reference. If it is a request id, search the log of the service for it: grep -F '"request_id":"${text}"' LOG_FILE`;

/** What is missing in the criteria of a search. */
function missingIn(
  text: string | undefined,
  { company, userHashFile, apiKey, project, day, amount }: FindOptions,
): string | undefined {
  if ([text, userHashFile, apiKey, project, day, amount].every((one) => one === undefined))
    return 'enter a text or an option to search for.';
  if (company === undefined && text === undefined && apiKey === undefined)
    return 'specify the company with --company: this search is within one company.';
  return undefined;
}

export function findCommand(io: CommandIo): Command {
  return readCommand(
    'find',
    'find contributions by what a partner or a bank says. All criteria must hold; the latest come first',
  )
    .argument('[text]', 'a transaction_id, also with a typing error, an idempotency key or a bank_reference')
    .option('--company <company>', 'only this company: its name or company_id')
    .addOption(environmentOption())
    .option('--user-hash-file <file>', 'file with the user_hash, or - for standard input')
    .addOption(
      new Option('--api-key <api-key>', 'created or completed by this key pair').argParser(parseApiKey),
    )
    .addOption(
      new Option('--project <project-id>', 'for this project').argParser(wholeNumber(1, 2_147_483_647)),
    )
    .addOption(new Option('--day <day>', 'created on this UTC day').argParser(parseDay))
    .addOption(new Option('--amount <amount>', 'of this amount in US dollars').argParser(parseAmount))
    .addOption(limitOption(50))
    .addOption(skipOption())
    .addHelpText(
      'after',
      `
Examples:
  contributions find k7q2-0cr5-m3v9-xhg
  contributions find ORDER-4711 --company "Acme Wallet"
  contributions find --company "Acme Wallet" --user-hash-file - < hash.txt
  contributions find --company "Acme Wallet" --day 2026-11-20 --amount 25.00`,
    )
    .hook('preAction', (_, action) => {
      const missing = missingIn(action.args[0], action.opts<FindOptions>());
      if (missing !== undefined) action.error(`error: ${missing}`);
    })
    .action((text: string | undefined, options: FindOptions) => {
      const { json, company, environment: kind, userHashFile, apiKey, project, day, amount } = options;
      const userHash = userHashFile === undefined ? undefined : readTextFile(io, userHashFile).text.trim();
      return runReadOf(
        io,
        company,
        ({ transactionSearch }, name) => {
          const search = {
            company: name,
            kind,
            userHash,
            apiKey,
            projectId: project,
            day,
            amountCents: amount,
            ...oneMore(options),
          };
          return findContributions(transactionSearch, text?.trim(), search);
        },
        ({ foundBy, contributions }: FoundContributions) => {
          if (contributions.length === 0) throw new OperatorError(nothingFound(text?.trim()));
          const { rows, hasMore } = pageOf(io, contributions, options);
          if (json) {
            printJson(io, {
              found_by: foundBy,
              contributions: rows.map(transactionBody),
              has_more: hasMore,
            });
            return;
          }
          if (foundBy !== null) printLine(io.stderr, `Contributions ${meanings[foundBy]}:`);
          printTable(io, transactionColumns, rows, '');
        },
      );
    });
}
