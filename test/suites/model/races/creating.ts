import { create } from '../commands/create';
import { link, unlink } from '../commands/links';
import { drawName, spelling } from '../operations';
import { type BuildRace, several } from './build-race';

/** Concurrent creates: with one key, for one user, and while the bank changes. */
export const creatingRaces = {
  'creates under one key': async (play, random) => {
    const request = {
      key: `order ${play.next()}`,
      project: play.shared.projects[0]!,
      cents: 2_500,
      user: 'user-1',
    };
    return several(play, random, ['owner', 'owner', 'restricted', 'bank'], (caller) =>
      create(caller, { ...request, ...spelling(random) }),
    );
  },
  'different creates under one key': async (play, random) => {
    const [key, user] = [`order ${play.next()}`, `user-${play.next()}`];
    const [project, another] = play.shared.projects as [number, number];
    return several(play, random, ['owner', 'restricted'], (caller) =>
      create(caller, {
        key,
        project: random.pick([project, project, project, another]),
        cents: random.pick([100, 100, 200]),
        user: random.pick([user, user, `${user}+`, 'user-1']),
        name: drawName(random),
      }),
    );
  },
  'creates of one new user': async (play, random) => {
    const user = `user-${play.next()}`;
    return several(play, random, ['owner', 'restricted'], (caller) =>
      create(caller, {
        key: undefined,
        project: random.pick(play.shared.projects),
        cents: 100,
        user,
        ...spelling(random),
      }),
    );
  },
  'create, link and unlink': async (play, random) => {
    const caller = await play.caller(random.pick(['owner', 'restricted']), random);
    const request = { project: play.shared.projects[0]!, cents: 100, user: 'user-2' };
    const one = create(caller, { ...request, key: `order ${play.next()}` });
    const other = create(caller, { ...request, key: `order ${play.next()}` });
    return random.shuffle([one, other, random.pick([link, unlink]), random.pick([link, unlink])]);
  },
} as const satisfies Record<string, BuildRace>;
