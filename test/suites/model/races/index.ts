import type { Random } from '../../faults/random';
import { possibleCells } from '../cells';
import type { Command } from '../commands/command';
import { issue } from '../commands/key-pairs';
import { linkCommands } from '../commands/links';
import { buildOperation } from '../operations';
import type { Play } from '../play';
import { type BuildRace, pending } from './build-race';
import { completingRaces } from './completing';
import { correctingRaces } from './correcting';
import { creatingRaces } from './creating';
import { pairRaces } from './pairs';
import { returningRaces } from './returning';

/** Two to five operations of any kind on one transaction. */
const anything: BuildRace = async (play, random) => {
  const target = await pending(play, random);
  const commands: Command[] = [];
  for (let count = random.integer(2, 5); count > 0; count -= 1) {
    const cell = random.pick(possibleCells);
    if (cell.kind === 'link') commands.push(linkCommands[cell.operation]);
    if (cell.kind === 'pair') commands.push(issue(cell.principal));
    if (cell.kind !== 'transaction') continue;
    const caller = await play.caller(cell.principal, random);
    commands.push(await buildOperation(cell.operation, caller, target, play, random));
  }
  return commands;
};

const races = {
  ...creatingRaces,
  ...completingRaces,
  ...returningRaces,
  ...correctingRaces,
  ...pairRaces,
  anything,
};

export type RaceKind = keyof typeof races;
export const raceKinds = Object.keys(races) as RaceKind[];

/**
 * Prepares a race, runs it, and compares the responses with the model.
 *
 * @returns whether the order of sending explains the responses
 */
export async function race(play: Play, random: Random, kind: RaceKind): Promise<boolean> {
  const build: BuildRace = races[kind];
  const commands = await build(play, random);
  const delaysMs = commands.map(() => random.pick([0, 0, 0, 1, 2]));
  return play.perform(commands, delaysMs);
}
