import type { KeyPair } from '../faults/clients/http';
import { OperatorError } from '../../src/modules/companies/companies.service';
import { scopes as allScopes, type Scope } from '../../src/shared/scopes';
import type { TestService } from '../support/service';
import type { Answer, Command } from './actions';
import { type Environment, environmentOf, type Principal, principals } from './world';

/** Three companies for the sequences of one lane, which are given up after some sequences. */
export interface Tenants {
  /** Of the four environments that the model knows. */
  readonly environmentIds: Readonly<Record<Environment, number>>;
  /** The first characters of the owner's transaction ids. */
  readonly ownersTag: string;
  /** Secrets by key. */
  readonly secrets: Map<string, string>;
  /** A time before which all earlier sequences ended, and after which the next one begins. */
  quietAt: string;
  /** Carries out an operator's command. */
  command(command: Command): Promise<Answer>;
  /** One live pair for each principal and no bank, whatever the last sequence left. */
  reset(): Promise<{ of: Principal; apiKey: string }[]>;
}

const restrictedScopes: readonly Scope[] = ['projects:read', 'contributions:create'];

/** The database's clock, as a parameter of a request has it. */
export const utcNow = `to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

let companyCount = 0;

/** An operator's mistake is an answer; anything else is none. */
async function toAnswer(command: Promise<unknown>): Promise<Answer> {
  try {
    await command;
    return { outcome: 'done' };
  } catch (error) {
    if (error instanceof OperatorError) return { outcome: 'refused' };
    throw error;
  }
}

export async function createTenants({ companies, database }: TestService): Promise<Tenants> {
  companyCount += 1;
  const name = {
    owner: `Owner ${companyCount}`,
    bank: `Bank ${companyCount}`,
    stranger: `Stranger ${companyCount}`,
  };
  const owner = await companies.create(name.owner);
  const bank = await companies.create(name.bank);
  const stranger = await companies.create(name.stranger);
  const { rows } = await database.admin.query<{ transaction_tag: string; now: string }>(
    `SELECT transaction_tag, ${utcNow} AS now FROM environments WHERE environment_id = $1`,
    [owner.environments.test],
  );
  const companyOf: Record<Environment, string> = { ...name, production: name.owner };
  const secrets = new Map<string, string>();
  /** Live pairs, as far as the commands below tell. */
  const live: { of: Principal; apiKey: string }[] = [];
  let mayBeLinked = false;

  async function issue(of: Principal): Promise<Answer> {
    let pair: KeyPair | undefined;
    const environment = environmentOf[of];
    const answer = await toAnswer(
      companies
        .issueKeyPair({
          company: companyOf[environment],
          kind: environment === 'production' ? 'production' : 'test',
          scopes: of === 'restricted' ? restrictedScopes : allScopes,
          expiresAt: undefined,
        })
        .then((issued) => (pair = issued)),
    );
    if (!pair) return answer;
    secrets.set(pair.apiKey, pair.apiSecret);
    live.push({ of, apiKey: pair.apiKey });
    return { outcome: 'issued', apiKey: pair.apiKey };
  }

  async function revoke(apiKey: string): Promise<Answer> {
    const answer = await toAnswer(companies.revokeKeyPair(apiKey));
    const index = live.findIndex((pair) => pair.apiKey === apiKey);
    if (index >= 0) live.splice(index, 1);
    return answer;
  }

  return {
    environmentIds: {
      owner: owner.environments.test,
      production: owner.environments.production,
      bank: bank.environments.test,
      stranger: stranger.environments.test,
    },
    ownersTag: rows[0]!.transaction_tag,
    quietAt: rows[0]!.now,
    secrets,
    command(command) {
      if (command.kind === 'issue') return issue(command.of);
      if (command.kind === 'revoke') return revoke(command.apiKey);
      mayBeLinked ||= command.kind === 'link';
      return toAnswer(
        command.kind === 'link'
          ? companies.linkBank('test', name.owner, name.bank)
          : companies.unlinkBank('test', name.owner, name.bank),
      );
    },
    async reset() {
      if (mayBeLinked) await toAnswer(companies.unlinkBank('test', name.owner, name.bank));
      mayBeLinked = false;
      for (const of of principals) {
        const theirs = live.filter((pair) => pair.of === of);
        for (const { apiKey } of theirs.slice(1)) await revoke(apiKey);
        if (theirs.length === 0) await issue(of);
      }
      return [...live];
    },
  };
}
