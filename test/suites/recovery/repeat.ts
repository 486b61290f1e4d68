import type { Exchange } from '../faults/clients/http';
import type { Clients } from './clients';
import type { Judgement } from './judge';
import type { Contribution, History } from './history';

const atOnce = 8;
const isReplayed = ({ response }: Exchange): boolean => response?.headers['idempotent-replayed'] === 'true';

/**
 * Partners and banks repeat all creates and completions after a restore, and must get the right
 * responses.
 */
export async function repeatEverything(
  clients: Clients,
  history: History,
  missing: Judgement['missing'],
): Promise<string[]> {
  const wrong: string[] = [];
  const lostCreates = new Set(missing.creates);
  const lostCompletions = new Set(missing.completions);

  function expect(what: string, exchange: Exchange, status: number, replayed: boolean): void {
    const { response } = exchange;
    if (response?.status === status && isReplayed(exchange) === replayed) return;
    wrong.push(
      `${what}: ${response?.status ?? 'no response'} ${JSON.stringify(response?.body)}, replayed: ${isReplayed(exchange)}`,
    );
  }

  async function repeat(contribution: Contribution): Promise<void> {
    const { create, completion, transactionId, idempotencyKey } = contribution;
    // Without a response the outcome is unknown: repeating is right, and either response is right.
    if (create.acknowledged === undefined) return;
    const isLost = lostCreates.has(contribution);
    if (isLost) {
      // A lost id identifies no contribution, and is never issued again.
      const unknown = await clients.repeatCompletion(contribution);
      expect(`completion of the lost ${transactionId ?? ''}`, unknown, 404, false);
    }
    const created = await clients.repeatCreate(contribution);
    expect(`create ${idempotencyKey} again`, created, 201, !isLost);
    const newId = String(created.response?.body['transaction_id']);
    if ((newId === transactionId) === isLost)
      wrong.push(`create ${idempotencyKey} again: ${newId} after ${transactionId ?? ''}`);
    contribution.transactionId = newId;
    if (completion?.acknowledged === undefined) return;
    const completed = await clients.repeatCompletion(contribution);
    expect(`completion of ${newId}`, completed, 200, !lostCompletions.has(contribution));
  }

  const waiting = [...history.contributions];
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) await repeat(next);
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  return wrong;
}
