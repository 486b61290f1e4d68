import type { Random } from '../faults/random';
import type { Cell, PairOperation } from './cells';
import type { Caller, Command } from './commands/command';
import { complete } from './commands/complete';
import { create } from './commands/create';
import { issue, revoke } from './commands/key-pairs';
import { list } from './commands/list';
import { showMainComponent } from './commands/main-component';
import { read } from './commands/read';
import { livePairs } from './model';
import type { Target } from './operations';
import type { Play } from './play';
import type { Principal } from './principals';

/** The operations that are tried with a revoked key pair. */
const withRevoked: Partial<Record<PairOperation, (caller: Caller, target: Target) => Command>> = {
  'revoked: revoke': (caller) => revoke(caller.pair.apiKey),
  'revoked: create': (caller, { project, cents, user }) =>
    create(caller, { key: undefined, project, cents, user }),
  'revoked: complete': (caller, { id }) => complete(caller, id),
  'revoked: read': (caller, { id }) => read(caller, id),
  'revoked: list': (caller) => list(caller, {}),
  'revoked: main component': (caller, { user }) => showMainComponent(caller, user),
};

/** Issues and revokes until a principal has this number of live key pairs. */
async function bringLivePairsTo(play: Play, principal: Principal, count: number): Promise<void> {
  for (;;) {
    const live = livePairs(play.belief(), principal);
    if (live.length === count) return;
    await play.perform([live.length < count ? issue(principal) : revoke(live[0]!)]);
  }
}

async function withARevokedPair(play: Play, principal: Principal, random: Random): Promise<Caller> {
  const revoked = (): string[] =>
    [...play.belief().pairs].flatMap(([apiKey, pair]) =>
      pair.principal === principal && pair.state === 'revoked' ? [apiKey] : [],
    );
  // A rotation: the new key pair is issued, then the old one is revoked.
  if (revoked().length === 0) {
    await bringLivePairsTo(play, principal, 2);
    await bringLivePairsTo(play, principal, 1);
  }
  return play.callerWith(principal, random.pick(revoked()));
}

/** Performs the cell's action on a principal's key pairs in the cell's state. */
export async function playPairOperation(
  play: Play,
  random: Random,
  { operation, principal }: Extract<Cell, { kind: 'pair' }>,
  target: Target,
): Promise<void> {
  const attempt = withRevoked[operation];
  if (attempt) {
    const caller = await withARevokedPair(play, principal, random);
    await play.perform([attempt(caller, target)]);
    return;
  }
  const count = ['none live', 'one live', 'two live'].indexOf(operation.split(':')[0]!);
  await bringLivePairsTo(play, principal, count);
  const command = operation.endsWith('issue')
    ? issue(principal)
    : revoke(random.pick(livePairs(play.belief(), principal)), random.chance(0.5));
  await play.perform([command]);
}
