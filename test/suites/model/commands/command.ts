import type { Scope } from '../../../../src/shared/scopes';
import type { Model } from '../model';
import { environmentOf, type Environment, type Principal, scopesOf } from '../principals';
import type { KeyPair, ServiceUnderTest } from '../service-under-test';

/** The response: a status, with the error code or "replayed" if there is one, and the body. */
export interface CommandResponse {
  readonly outcome: string;
  readonly body: Record<string, unknown>;
}

/** One action with all its parameters. */
export interface Command {
  /** For the transcript of a failed sequence. */
  readonly title: string;
  send(service: ServiceUnderTest): Promise<CommandResponse>;
  /**
   * Compares a response with the model, and changes the model as the service changes.
   *
   * @returns the expected response if this one is wrong; the model is then unusable
   */
  judge(model: Model, response: CommandResponse): string | undefined;
  /**
   * Whether the links and key pairs at the start of the command decide its result, although its
   * effects happen later (decision 7).
   */
  readonly isJudgedAtItsBeginning?: true;
}

/** A principal with the key pair that it uses this time. */
export interface Caller {
  readonly principal: Principal;
  readonly pair: KeyPair;
}

export const environmentOfCaller = (caller: Caller): Environment => environmentOf[caller.principal];

/** For titles: the principal and its key pair. */
export const describeCaller = ({ principal, pair }: Caller): string =>
  `${principal} (…${pair.apiKey.slice(-4)})`;

const invalid = '401 credentials_invalid';

/**
 * The possible results of authentication and scopes; `passes` if they permit the operation. A key
 * pair that was just revoked cannot complete or return any more (decision 2); other operations may
 * work for up to a second.
 */
export function expectedFromAuthentication(model: Model, caller: Caller, scope: Scope): string[] {
  const state = model.pairs.get(caller.pair.apiKey)?.state;
  const byScope = scopesOf[caller.principal].includes(scope) ? 'passes' : '403 scope_missing';
  if (state === 'live') return [byScope];
  const isAboutMoney = scope === 'contributions:complete' || scope === 'contributions:return';
  const isChecked = isAboutMoney && byScope === 'passes';
  return state === 'settling' && !isChecked ? [invalid, byScope] : [invalid];
}

/**
 * Judges an operation of the API: first authentication and scopes, then the operation.
 *
 * @param behind checks the response of the operation. It returns the expected result, or undefined
 *   if the response is right
 */
export function judgeAfterAuthentication(
  gate: string[],
  response: CommandResponse,
  behind: () => string | undefined,
): string | undefined {
  if (gate.includes(response.outcome)) return undefined;
  return gate.includes('passes') ? behind() : gate.join(' or ');
}

/** Compares an outcome with the expected one. */
export function expectOutcome(response: CommandResponse, outcome: string): string | undefined {
  return response.outcome === outcome ? undefined : outcome;
}
