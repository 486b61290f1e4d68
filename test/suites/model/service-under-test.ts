import type { Pool } from 'pg';

import type { NamedLink } from '../../../src/core/companies/bank-links.service';
import type { CompaniesService } from '../../../src/core/companies/companies.service';
import type { KeyPairsService } from '../../../src/core/key-pairs/key-pairs.service';
import { OperatorError } from '../../../src/shared/operator-error';
import { keyPairChannel } from '../../../src/shared/key-pair-channel';
import { createHttpClient, type Call } from '../faults/clients/http';
import { checkResponse } from '../../support/client';
import { publicBaseUrl, type TestService } from '../../support/service';
import type { CommandResponse } from './commands/command';
import { companyOf, environmentOf, kindOf, type Environment, type Principal, scopesOf } from './principals';
import { createRememberingCompanies } from './caching-companies';
import type { Tenants } from './tenants';

export interface KeyPair {
  readonly apiKey: string;
  readonly apiSecret: string;
}

/**
 * The running service for one sequence: its HTTP API, and the operator's commands for its tenants.
 */
export interface ServiceUnderTest {
  /**
   * Sends a request and checks the response against the contract of its operation.
   *
   * @throws Error when there is no response, or it does not match the contract
   */
  call(call: Call): Promise<CommandResponse>;
  /** The new key pair is in the response's body as `api_key` and `api_secret`. */
  issue(principal: Principal): Promise<CommandResponse>;
  /**
   * @param isHeldBack delays the notification until `announceRevocation`, as when it is late or
   *   lost
   */
  revoke(apiKey: string, isHeldBack: boolean): Promise<CommandResponse>;
  /** Notifies the service of a delayed revocation; false when it was notified at once. */
  announceRevocation(apiKey: string): Promise<boolean>;
  /** An operator takes a completion back. The outcome is that of the database function. */
  correct(transactionId: string, reason: string): Promise<CommandResponse>;
  link(environment: Environment, bank: Environment): Promise<CommandResponse>;
  unlink(environment: Environment, bank: Environment): Promise<CommandResponse>;
  voidLink(environment: Environment, bank: Environment): Promise<CommandResponse>;
}

/** What all sequences share. */
export interface Shared {
  readonly http: ReturnType<typeof createHttpClient>;
  readonly companies: CompaniesService;
  readonly voidLink: (link: NamedLink) => Promise<unknown>;
  readonly keyPairs: KeyPairsService;
  readonly admin: Pool;
  /** The projects of the catalogue, all of them active. */
  readonly projects: readonly number[];
  close(): Promise<void>;
}

/** @param projects the projects of the catalogue */
export function createShared(service: TestService, projects: readonly number[]): Shared {
  const http = createHttpClient(service.port);
  const operator = createRememberingCompanies(service);
  return {
    http,
    companies: operator.companies,
    voidLink: operator.voidLink,
    keyPairs: operator.keyPairs,
    admin: service.database.admin,
    projects,
    async close() {
      http.close();
      await operator.close();
    },
  };
}

async function operate(work: () => Promise<Record<string, unknown>>): Promise<CommandResponse> {
  try {
    return { outcome: 'done', body: await work() };
  } catch (error) {
    // The message of a rejected operator command; any other error is a failure.
    if (!(error instanceof OperatorError)) throw error;
    return { outcome: 'refused', body: { message: error.message } };
  }
}

async function call({ http }: Shared, request: Call): Promise<CommandResponse> {
  const { response } = await http.send(request);
  const path = `/company/integration/${request.path}`;
  const where = `${request.method} ${path}`;
  if (!response) throw new Error(`${where}: no response`);
  const { status, body } = response;
  const header = (name: string): string | undefined => {
    const value = response.headers[name.toLowerCase()];
    return typeof value === 'string' ? value : undefined;
  };
  checkResponse(request.method, path, { status, body, headers: response.headers });
  // A valid pair gets its environment in every response that the model provokes (credentials.md).
  const kind = request.pair.apiKey.split('_')[1];
  if (status !== 401 && header('Environment') !== kind)
    throw new Error(`${where}: Environment is not ${kind}`);
  const location = `${publicBaseUrl}/company/integration/contributions/${String(body['transaction_id'])}`;
  const isCreated = status === 201 && !/\/(returns|correction)/.test(request.path);
  if (isCreated && header('Location') !== location) throw new Error(`${where}: Location is not ${location}`);
  const detail =
    status < 300 ? (header('Idempotent-Replayed') === 'true' ? ' replayed' : '') : ` ${String(body['code'])}`;
  return { outcome: `${status}${detail}`, body };
}

/** Revokes a key pair as the operator's command does, but without the notification. */
async function revokeSilently({ admin }: Shared, apiKey: string): Promise<boolean> {
  const { rowCount } = await admin.query(
    'UPDATE key_pairs SET revoked_at = clock_timestamp() WHERE api_key = $1 AND revoked_at IS NULL',
    [apiKey],
  );
  return rowCount === 1;
}

/** The service with the operator's commands restricted to the companies of one sequence. */
export function createServiceUnderTest(shared: Shared, { names }: Tenants): ServiceUnderTest {
  const { companies, keyPairs } = shared;
  const heldBack = new Set<string>();
  const nameOf = (environment: Environment): string => names[companyOf[environment]];
  return {
    call: (request) => call(shared, request),
    issue: (principal) =>
      operate(async () => {
        const environment = environmentOf[principal];
        const { apiKey, apiSecret } = await keyPairs.issue({
          company: nameOf(environment),
          kind: kindOf[environment],
          scopes: scopesOf[principal],
          expiresAt: undefined,
        });
        return { api_key: apiKey, api_secret: apiSecret };
      }),
    revoke: (apiKey, isHeldBack) =>
      operate(async () => {
        if (!isHeldBack) await keyPairs.revoke(apiKey);
        else if (await revokeSilently(shared, apiKey)) heldBack.add(apiKey);
        else throw new OperatorError('There is no live key pair with this API-Key.');
        return {};
      }),
    async announceRevocation(apiKey) {
      if (!heldBack.delete(apiKey)) return false;
      await shared.admin.query('SELECT pg_notify($1, $2)', [keyPairChannel, apiKey]);
      return true;
    },
    async correct(transactionId, reason) {
      const { rows } = await shared.admin.query<{ outcome: string }>(
        'SELECT outcome FROM correct_contribution_as_operator($1, $2, gen_random_uuid())',
        [transactionId, reason],
      );
      return { outcome: rows[0]!.outcome, body: {} };
    },
    link: (environment, bank) =>
      operate(async () => {
        await companies.linkBank(kindOf[environment], nameOf(environment), nameOf(bank));
        return {};
      }),
    unlink: (environment, bank) =>
      operate(async () => {
        await companies.unlinkBank(kindOf[environment], nameOf(environment), nameOf(bank));
        return {};
      }),
    voidLink: (environment, bank) =>
      operate(async () => {
        const kind = kindOf[environment];
        await shared.voidLink({ kind, company: nameOf(environment), bank: nameOf(bank) });
        return {};
      }),
  };
}
