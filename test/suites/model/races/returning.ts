import type { Random } from '../../faults/random';
import { inState } from '../bring-about';
import { complete } from '../commands/complete';
import { create } from '../commands/create';
import { read } from '../commands/read';
import { moneyReturn, undo } from '../commands/return';
import { underKey } from '../model';
import type { Target } from '../operations';
import type { Play } from '../play';
import { type BuildRace, several } from './build-race';

/** A transaction that the owner completed and that is fully returned, if it was not before. */
async function returned(play: Play, random: Random): Promise<Target> {
  const { id, cents } = await inState(play, random, 'by company, never under a bank');
  const caller = await play.caller('owner', random);
  await play.perform([moneyReturn(caller, id, { cents, reference: `RT ${id}` })]);
  return play.belief().transactions.get(id)!;
}

/** Another contribution of the same user to the same project, pending. */
async function another(play: Play, random: Random, { project, user }: Target): Promise<Target> {
  const key = `order ${play.next()}`;
  await play.perform([create(await play.caller('owner', random), { key, project, user, cents: 100 })]);
  return underKey(play.belief(), 'owner', key)!;
}

/** Concurrent returns, and actions concurrent with a return. */
export const returningRaces = {
  'returns of one': async (play, random) => {
    const [state, by] = random.pick([
      ['by company, never under a bank', 'owner'],
      ['by bank, created under a link', 'bank'],
    ] as const);
    const { id, cents } = await inState(play, random, state);
    return several(play, random, [by], (caller) =>
      moneyReturn(caller, id, {
        cents: random.pick([cents, cents, 1]),
        reference: random.pick([`RT ${id}`, `RT ${id}`, `RT ${play.next()}`]),
      }),
    );
  },
  'undos of one return': async (play, random) => {
    const { id, returns } = await returned(play, random);
    const undone = returns.find(({ undoes }) => undoes === undefined);
    if (undone?.id === undefined) return [read(await play.caller('owner', random), id)];
    const { id: undoes, cents } = undone;
    return several(play, random, ['owner'], (caller) =>
      undo(caller, id, {
        undoes,
        cents: random.pick([cents, 1]),
        reference: random.pick([`PA ${undoes}`, `PA ${play.next()}`]),
      }),
    );
  },
  'returns and completion of one user and project': async (play, random) => {
    const one = await returned(play, random);
    const [second, third] = [await another(play, random, one), await another(play, random, one)];
    const caller = await play.caller('owner', random);
    await play.perform([complete(caller, second.id)]);
    const [first] = one.returns;
    return random.shuffle([
      complete(caller, third.id),
      moneyReturn(caller, second.id, { cents: 100, reference: `RT ${second.id}` }),
      ...(first?.id !== undefined && random.chance(0.5)
        ? [undo(caller, one.id, { undoes: first.id, cents: 1, reference: `PA ${play.next()}` })]
        : []),
    ]);
  },
} as const satisfies Record<string, BuildRace>;
