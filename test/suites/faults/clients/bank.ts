import type { Completion, Journal } from '../journal/journal';
import type { Random } from '../random';
import { correctContribution, untilAcknowledged } from './correction';
import type { TenantEnvironment } from './environments';
import type { Call, HttpClient } from './http';
import { judgeCompletion, judgeRefusal } from './judge';

export interface BankWorld {
  readonly http: HttpClient;
  readonly journal: Journal;
  readonly random: Random;
}

function completeCall(
  environment: TenantEnvironment,
  completion: Completion,
  reference: string | null,
  random: Random,
): Call {
  return {
    method: 'PUT',
    path: `contributions/${completion.transactionId}`,
    pair: environment.completer,
    body: {
      status: 'completed',
      ...(random.chance(0.5) ? { amount: (completion.intention.amountCents / 100).toFixed(2) } : {}),
      ...(reference === null ? {} : { bank_reference: reference, value_date: '2026-11-20' }),
    },
  };
}

/**
 * Completes one contribution as banks do: retries until there is a response, sometimes repeats,
 * sometimes after others have tried, and sometimes takes the completion back.
 */
export async function completeContribution(
  world: BankWorld,
  environment: TenantEnvironment,
  completion: Completion,
): Promise<void> {
  const { http, journal, random } = world;
  const { transactionId } = completion;
  const call = (reference: string | null): Call => completeCall(environment, completion, reference, random);
  if (random.chance(0.03)) {
    const exchange = await http.send({ ...call(null), pair: environment.stranger });
    judgeRefusal(journal, 'completion by a stranger', 404, exchange);
  }
  if (environment.hasBank && random.chance(0.03)) {
    const exchange = await http.send({ ...call(null), pair: environment.company });
    judgeRefusal(journal, "completion in the bank's place", 403, exchange);
  }
  if (random.chance(0.02)) {
    const wrong = { status: 'completed', amount: '999999.99' };
    judgeRefusal(
      journal,
      'completion with another amount',
      409,
      await http.send({ ...call(null), body: wrong }),
    );
  }

  const reference = random.chance(0.4) ? `FT-${transactionId}` : null;
  completion.references.push(reference);
  const attempt = async () => judgeCompletion(journal, completion, await http.send(call(reference)));
  const copies = random.chance(0.05) ? random.integer(2, 4) : 1;
  const verdicts = await Promise.all(Array.from({ length: copies }, attempt));
  if (verdicts.includes('refused')) return;
  if (!verdicts.includes('acknowledged') && !(await untilAcknowledged(world, attempt))) return;
  if (random.chance(0.05)) await attempt();
  if (random.chance(0.1)) await correctContribution(world, environment, completion, call, reference);
}
