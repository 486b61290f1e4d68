import type { Random } from '../../faults/random';
import { inState } from '../bring-about';
import type { Caller, Command } from '../commands/command';
import { complete } from '../commands/complete';
import type { Target } from '../operations';
import type { Play } from '../play';
import type { Principal } from '../principals';
import type { State } from '../states';

/** Prepares a race, and returns the commands to run concurrently. */
export type BuildRace = (play: Play, random: Random) => Promise<Command[]>;

const pendingStates = [
  'pending, never under a bank',
  'pending, created under a link',
  'pending, created under a link that ended',
  'pending, created before a link',
] as const satisfies State[];

/** A pending transaction: with a bank, without, or with a former one. */
export const pending = (play: Play, random: Random): Promise<Target> =>
  inState(play, random, random.pick(pendingStates));

/** Two to four commands, each by one of the principals. */
export async function several(
  play: Play,
  random: Random,
  by: readonly Principal[],
  build: (caller: Caller) => Command,
): Promise<Command[]> {
  const commands: Command[] = [];
  for (let count = random.integer(2, 4); count > 0; count -= 1)
    commands.push(build(await play.caller(random.pick(by), random)));
  return commands;
}

/** A completion, half of the time with a different reference. */
export const completion = async (play: Play, random: Random, by: Principal, id: string): Promise<Command> =>
  complete(await play.caller(by, random), id, random.chance(0.5) ? { reference: `FT ${play.next()}` } : {});
