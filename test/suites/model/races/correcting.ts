import type { Random } from '../../faults/random';
import { bringAbout } from '../bring-about';
import type { Command } from '../commands/command';
import { complete } from '../commands/complete';
import { correct, correctAsOperator } from '../commands/correct';
import { linkWith, unlinkFrom } from '../commands/links';
import { moneyReturn, undo } from '../commands/return';
import type { Play } from '../play';
import { inUndone } from '../undone';
import { type BuildRace, several } from './build-race';

/** A new transaction that the bank completed, linked with both banks. */
const completedUnderBoth = (play: Play, random: Random): Promise<string> =>
  bringAbout(play, random, ['link', 'link second', 'create', 'bank completes']);

/** A completion with the reference of the last one, a new one, or one of two that others share. */
async function again(play: Play, random: Random, by: 'bank' | 'second', id: string): Promise<Command> {
  const last = play.belief().transactions.get(id)?.completion?.reference ?? undefined;
  const evidence = random.pick([
    { reference: last },
    ...[`FT ${play.next()}`, `FT ${id} 1`, `FT ${id} 2`].map((reference) => ({ reference })),
  ]);
  return complete(await play.caller(by, random), id, evidence);
}

/** Concurrent corrections, and completions of contributions whose net amount is or becomes zero. */
export const correctingRaces = {
  'corrections of one': async (play, random) => {
    const id = await completedUnderBoth(play, random);
    const reason = (): string => random.pick(['wrong', 'wrong', `reason ${play.next()}`]);
    return random.shuffle([
      ...(await several(play, random, ['bank', 'bank', 'second'], (caller) => correct(caller, id, reason()))),
      correctAsOperator(id, reason()),
    ]);
  },
  'correction and completions': async (play, random) => {
    const id = await completedUnderBoth(play, random);
    return random.shuffle([
      correct(await play.caller('bank', random), id, 'wrong'),
      await again(play, random, 'bank', id),
      await again(play, random, random.pick(['bank', 'second']), id),
      await again(play, random, 'second', id),
    ]);
  },
  'first completion, correction and completions': async (play, random) => {
    const id = await bringAbout(play, random, ['link', 'link second', 'create']);
    return random.shuffle([
      await again(play, random, 'bank', id),
      await again(play, random, 'second', id),
      correct(await play.caller('bank', random), id, 'wrong'),
      correctAsOperator(id, 'wrong'),
    ]);
  },
  'correction, return and completion': async (play, random) => {
    const id = await completedUnderBoth(play, random);
    const { cents } = play.belief().transactions.get(id)!;
    const caller = await play.caller('bank', random);
    return random.shuffle([
      random.chance(0.5) ? correct(caller, id, 'wrong') : correctAsOperator(id, 'wrong'),
      moneyReturn(caller, id, { cents: random.pick([cents, 1]), reference: `RT ${id}` }),
      await again(play, random, 'bank', id),
    ]);
  },
  'completions and corrections of a corrected one': async (play, random) => {
    const { id } = await inUndone(play, random, 'by bank, corrected, under both');
    return random.shuffle([
      await again(play, random, 'bank', id),
      await again(play, random, 'second', id),
      await again(play, random, 'second', id),
      random.chance(0.5)
        ? correctAsOperator(id, `reason ${play.next()}`)
        : correct(await play.caller('second', random), id, 'wrong'),
    ]);
  },
  'completions of a corrected one and links': async (play, random) => {
    const { id } = await inUndone(play, random, 'by bank, its link ended, corrected');
    return random.shuffle([
      linkWith('second'),
      random.pick([linkWith('bank'), unlinkFrom('second')]),
      await again(play, random, 'second', id),
      complete(await play.caller('owner', random), id, { reference: `FT ${play.next()}` }),
    ]);
  },
  'completions and undo of a returned one': async (play, random) => {
    const { id, returns } = await inUndone(play, random, 'by bank, returned');
    const caller = await play.caller('bank', random);
    const [first] = returns;
    const undone = { undoes: first!.id!, cents: random.pick([first!.cents, 1]), reference: `PA ${id}` };
    return random.shuffle([
      await again(play, random, 'bank', id),
      await again(play, random, 'bank', id),
      random.chance(0.5)
        ? undo(caller, id, undone)
        : moneyReturn(caller, id, { cents: 1, reference: `RT ${play.next()}` }),
    ]);
  },
} as const satisfies Record<string, BuildRace>;
