import { complete } from '../commands/complete';
import { issue, revoke } from '../commands/key-pairs';
import { buildOperation, operationNames } from '../operations';
import { principals } from '../principals';
import { type BuildRace, pending } from './build-race';

/** Rotation while the key pairs are used or issued. */
export const pairRaces = {
  'completion and revocation of its pair': async (play, random) => {
    const { id } = await pending(play, random);
    const by = random.pick(['owner', 'bank'] as const);
    const caller = await play.caller(by, random);
    return random.shuffle([
      complete(caller, id),
      complete(caller, id),
      revoke(caller.pair.apiKey, random.chance(0.5)),
    ]);
  },
  'operations and revocation of their pair': async (play, random) => {
    const target = await pending(play, random);
    const caller = await play.caller(random.pick(principals), random);
    const one = await buildOperation(random.pick(operationNames), caller, target, play, random);
    const other = await buildOperation(random.pick(operationNames), caller, target, play, random);
    return [revoke(caller.pair.apiKey, random.chance(0.5)), one, other];
  },
  'issues and revocation': async (play, random) => {
    const principal = random.pick(principals);
    const { pair } = await play.caller(principal, random);
    return random.shuffle([issue(principal), issue(principal), revoke(pair.apiKey, random.chance(0.5))]);
  },
  'two revocations': async (play, random) => {
    const { pair } = await play.caller(random.pick(principals), random);
    return [revoke(pair.apiKey), revoke(pair.apiKey)];
  },
} as const satisfies Record<string, BuildRace>;
