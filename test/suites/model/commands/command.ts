import type { Scope } from '../../../../src/shared/scopes';
import type { Model } from '../model';
import { environmentOf, type Environment, type Principal, scopesOf } from '../principals';
import type { KeyPair, ServiceUnderTest } from '../service-under-test';

/** What came back: a status, with the error code or "replayed" where there is one, and the body. */
export interface CommandResponse {
  readonly outcome: string;
  readonly body: Record<string, unknown>;
}

/** One thing that somebody does, with everything about it decided. */
export interface Command {
  /** For the transcript of a sequence that went wrong. */
  readonly title: string;
  send(service: ServiceUnderTest): Promise<CommandResponse>;
  /**
   * Holds an answer against the model and changes the model as this changes the service.
   *
   * @returns what was expected instead, when the answer is not right; the model is then of no use
   *   any more
   */
  judge(model: Model, response: CommandResponse): string | undefined;
  /**
   * Whether links and pairs count as they were when the service began with it, a moment before the
   * rest of it happens (decision 7).
   */
  readonly isJudgedAtItsBeginning?: true;
}

/** A principal with the pair that it uses this time. */
export interface Caller {
  readonly principal: Principal;
  readonly pair: KeyPair;
}

export const environmentOfCaller = (caller: Caller): Environment => environmentOf[caller.principal];

/** For titles: who, and which of their pairs. */
export const describeCaller = ({ principal, pair }: Caller): string =>
  `${principal} (…${pair.apiKey.slice(-4)})`;

const invalid = '401 credentials_invalid';

/**
 * What authentication and scopes answer before an operation is looked at; `passes` when they let it
 * through. Of a pair that was revoked a moment ago only a completion is refused at once (decision
 * 2), anything else within a second.
 */
export function atTheGate(model: Model, caller: Caller, scope: Scope): string[] {
  const state = model.pairs.get(caller.pair.apiKey)?.state;
  const byScope = scopesOf[caller.principal].includes(scope) ? 'passes' : '403 scope_missing';
  if (state === 'live') return [byScope];
  const isCompletion = scope === 'contributions:complete' && byScope === 'passes';
  return state === 'settling' && !isCompletion ? [invalid, byScope] : [invalid];
}

/**
 * Judges an operation of the API: first the gate, then the operation.
 *
 * @param behind what the operation itself expects, undefined when the answer is right
 */
export function judgeBehindGate(
  gate: string[],
  response: CommandResponse,
  behind: () => string | undefined,
): string | undefined {
  if (gate.includes(response.outcome)) return undefined;
  return gate.includes('passes') ? behind() : gate.join(' or ');
}

/** Compares an outcome with the one that is right. */
export function expectOutcome(response: CommandResponse, outcome: string): string | undefined {
  return response.outcome === outcome ? undefined : outcome;
}
