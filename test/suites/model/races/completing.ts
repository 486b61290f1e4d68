import { createAs, inState } from '../bring-about';
import { complete } from '../commands/complete';
import { create } from '../commands/create';
import { link, linkWith, unlink, voidLink } from '../commands/links';
import { list } from '../commands/list';
import { read } from '../commands/read';
import { inContest } from '../contests';
import { buildOperation } from '../operations';
import { type BuildRace, completion, pending, several } from './build-race';

/** Concurrent completions, and actions concurrent with a completion. */
export const completingRaces = {
  'completions of one': async (play, random) => {
    const { id } = await pending(play, random);
    const reference = () => (random.chance(0.5) ? { reference: `FT ${play.next()}` } : {});
    return several(play, random, ['owner', 'bank', 'bank'], (caller) => complete(caller, id, reference()));
  },
  'completions by two banks': async (play, random) => {
    const { id } = await inContest(play, random, 'pending, under both');
    return several(play, random, ['bank', 'second'], (caller) =>
      complete(caller, id, random.chance(0.5) ? { reference: `FT ${play.next()}` } : {}),
    );
  },
  'completions and the link of a second bank': async (play, random) => {
    const { id } = await inState(play, random, 'pending, created under a link');
    return random.shuffle([
      linkWith('second'),
      await completion(play, random, 'bank', id),
      await completion(play, random, 'second', id),
    ]);
  },
  'completions for one user and project': async (play, random) => {
    const [one, other] = [await createAs(play, random, 'owner'), await createAs(play, random, 'owner')];
    const caller = await play.caller('owner', random);
    const again = create(caller, { key: undefined, project: one.project, cents: 1, user: one.user });
    return [complete(caller, one.id), complete(caller, other.id), again];
  },
  'completion and another amount': async (play, random) => {
    const { id, cents } = await pending(play, random);
    const by = random.pick(['owner', 'bank'] as const);
    const wrong = complete(await play.caller(by, random), id, { cents: cents + 1 });
    return [await completion(play, random, by, id), wrong, await completion(play, random, by, id)];
  },
  'completions and link': async (play, random) => {
    const { id } = await inState(play, random, 'pending, never under a bank');
    const commands = [
      link,
      await completion(play, random, 'owner', id),
      await completion(play, random, 'bank', id),
    ];
    return random.shuffle(commands);
  },
  'completion, link and readers': async (play, random) => {
    const { id } = await inState(play, random, 'pending, never under a bank');
    return random.shuffle([
      link,
      await completion(play, random, 'owner', id),
      read(await play.caller('bank', random), id),
      read(await play.caller('bank', random), id),
    ]);
  },
  'completions and unlink': async (play, random) => {
    const state = random.pick(['pending, created before a link', 'pending, created under a link'] as const);
    const { id } = await inState(play, random, state);
    const commands = [
      random.pick([unlink, voidLink]),
      await completion(play, random, 'owner', id),
      await completion(play, random, 'bank', id),
    ];
    return random.shuffle(commands);
  },
  'retry and completion': async (play, random) => {
    const target = await pending(play, random);
    const caller = await play.caller(random.pick(['owner', 'restricted']), random);
    const retry = await buildOperation(
      random.pick(['retry: the same', 'retry: another amount']),
      caller,
      target,
      play,
      random,
    );
    return random.shuffle([
      retry,
      await completion(play, random, 'owner', target.id),
      await completion(play, random, 'bank', target.id),
    ]);
  },
  'readers and completion': async (play, random) => {
    const { id, user } = await pending(play, random);
    const [owner, bank] = [await play.caller('owner', random), await play.caller('bank', random)];
    const readers = [
      read(owner, id),
      read(bank, id),
      list(bank, { status: 'pending' }),
      list(owner, { user }),
    ];
    const completing = await completion(play, random, random.pick(['owner', 'bank']), id);
    return random.shuffle([completing, ...random.shuffle(readers).slice(0, 3)]);
  },
} as const satisfies Record<string, BuildRace>;
