import type { Response } from 'supertest';

import type { Client } from './client';
import { type Completions, createCompletions } from './completions';
import { startService, type TestCompany, type TestService, type TestServiceOptions } from './service';
import { statementsPath } from './statement-files';

export const accountsPath = '/company/integration/statement-accounts';

export interface StatementSetup {
  service: TestService;
  /** Each test has a company of its own. */
  company: TestCompany;
  /** Contributions of this company, of 25.50 dollars each unless a test names another amount. */
  contributions: Completions;
  /** Gives the running test another new company. */
  renewCompany(): Promise<void>;
}

/** Starts one service for all tests of a file, and creates a company before each test. */
export function setUpStatements(options: TestServiceOptions = {}): StatementSetup {
  const settings = { SANDBOX_REQUEST_LOG: 'off', ...options.settings };
  const setup = {} as StatementSetup;
  setup.renewCompany = async () => {
    setup.company = await setup.service.addCompany();
    setup.contributions = await createCompletions(setup.service, setup.company);
  };
  beforeAll(async () => {
    setup.service = await startService({ ...options, settings });
  });
  beforeEach(() => setup.renewCompany());
  afterAll(() => setup.service.stop());
  return setup;
}

export interface Money {
  position: string;
  is_open: boolean;
  is_decided: boolean;
  gross_amount: string;
  net_amount: string;
  entries_to_check: number;
  entries: Pick<Entry, 'outcome' | 'allocations'>[];
}

export async function readMoney(client: Client, id: string): Promise<Money> {
  const response: Response = await client.get(`/company/integration/contributions/${id}/money`).expect(200);
  return response.body as Money;
}

export interface Entry {
  entry_id: string;
  account_id: string;
  state: string;
  direction: string;
  amount: string;
  booking_date: string | null;
  bank_reference: string | null;
  outcome: string;
  reason: string | null;
  is_decided: boolean;
  allocations: { transaction_id: string; amount: string; confidence: string; state: string }[];
}

export async function readEntries(client: Client, fileId: string, query = ''): Promise<Entry[]> {
  const response: Response = await client.get(`${statementsPath}/${fileId}/entries?${query}`).expect(200);
  return (response.body as { data: Entry[] }).data;
}

/** The account of the environment, which has only one. */
export async function readAccountId(client: Client): Promise<string> {
  const { body } = await client.get(accountsPath).expect(200);
  const [account, ...others] = (body as { data: { account_id: string }[] }).data;
  if (!account || others.length > 0) throw new Error('there is not exactly one account');
  return account.account_id;
}
