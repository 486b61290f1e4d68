import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { startCitusCluster } from '../../test/support/citus/cluster';
import { createRoles } from '../../test/support/citus/roles';
import { interruption } from '../interruption';
import { median } from '../measure/statistics';
import { inOrderOf } from '../measure/turns';
import { readOptions, usualPoolSize } from '../options';
import { type CitusResult, type Figure, writeResult } from '../results';
import { runMain, say } from '../say';
import { busyShare } from '../world/machine';
import { bankLimit, createRequests, type Operation, operations, type Requests } from './operations';
import { measureProcessorUse } from './processor-use';
import { readRemoteCommands } from './remote-commands';
import { type Kind, linkedCompanies, type Side, startSide } from './side';

const help = `npm run bench -- citus [options]

Compares PostgreSQL with Citus clusters of one node and of three nodes, in rounds on this machine. It counts the remote
commands of each operation, and measures CPU time and the list of a bank with ${linkedCompanies} companies.`;

const kinds: readonly Kind[] = ['PostgreSQL', 'one node', 'three nodes'];
const requestsEach = 25;
const requestsUnderLoad = 2_000;
const bankLists = 40;

/** Highest ratios of the medians to those of PostgreSQL. */
const ratioBounds: Partial<Record<Operation, number>> = { create: 2, complete: 2, 'main component': 2 };
const mostRemoteCommands = 3;
const mostBankMs = 50;

type Contestant = Side & { requests: Requests };
/** Milliseconds of single requests. */
type Times = Record<Kind, Record<Operation, number[]>>;

/** One request at a time. The order of the sides rotates, and the first round warms up. */
async function measureTimes(sides: readonly Contestant[], rounds: number): Promise<Times> {
  const noTimes = () => Object.fromEntries(operations.map((operation) => [operation, [] as number[]]));
  const times = Object.fromEntries(kinds.map((kind) => [kind, noTimes()])) as Times;
  for (let round = 0; round <= rounds; round += 1) {
    for (const { kind, requests } of inOrderOf(round, sides)) {
      interruption.throwIfAborted();
      await requests.turn(async () => {
        for (const operation of operations) {
          await requests.prepare(operation, requestsEach);
          for (let count = 0; count < requestsEach; count += 1) {
            const ms = await requests.play(operation);
            if (round > 0) times[kind][operation].push(ms);
          }
        }
      });
    }
  }
  return times;
}

async function measureBank({ requests }: Contestant): Promise<number> {
  return requests.turn(async () => {
    await requests.fillBank();
    const times: number[] = [];
    while (times.length < bankLists) times.push(await requests.listOfBank());
    return median(times);
  });
}

function sayTimes(times: Times): Figure[] {
  const figures: Figure[] = [];
  for (const operation of operations) {
    const medians = kinds.map((kind) => median(times[kind][operation]));
    const [plain = NaN] = medians;
    const parts = kinds.map((kind, place) => `${kind} ${medians[place]?.toFixed(2)} ms`);
    say(`${operation}: ${parts.join(', ')}`);
    for (const [place, kind] of kinds.entries()) {
      const value = (medians[place] ?? NaN) / plain;
      const bound = ratioBounds[operation];
      if (place === 0) continue;
      say(`  ${kind} / PostgreSQL: ${value.toFixed(2)}`);
      if (bound !== undefined) figures.push(atMost(`${operation}, ${kind} / PostgreSQL`, value, bound));
    }
  }
  return figures;
}

const atMost = (text: string, value: number, bound: number): Figure => ({
  text,
  value,
  comparison: '≤',
  bound,
  isMet: value <= bound,
});

runMain(async () => {
  const options = readOptions(help, { rounds: 20, pool: usualPoolSize });
  if (!options) return;
  const { rounds, poolSize = usualPoolSize } = options;
  const busy = await busyShare();
  const folder = mkdtempSync(path.join(tmpdir(), 'contribution-bench-'));
  const cluster = await startCitusCluster(2, true);
  const sides: Contestant[] = [];
  try {
    const passwords = { owner: 'unused', service: 'unused', operator: 'unused' };
    await createRoles(
      cluster.nodes.map((node) => node.url('postgres')),
      passwords,
    );
    for (const kind of kinds) {
      const side = await startSide(cluster, kind, { folder, poolSize });
      sides.push({ ...side, requests: createRequests(side) });
    }
    const times = await measureTimes(sides, rounds);
    const figures = sayTimes(times);
    const [plain, , threeNodes] = sides;
    if (!plain || !threeNodes) throw new Error('a side is missing');
    const commands = await readRemoteCommands(cluster.coordinator, threeNodes.requests);
    for (const operation of operations) {
      say(`remote commands of ${operation}: ${commands[operation].length}`);
      if (ratioBounds[operation] === undefined) continue;
      figures.push(atMost(`remote commands of ${operation}`, commands[operation].length, mostRemoteCommands));
    }
    const processorUse: CitusResult['processorUse'] = {};
    for (const side of [plain, threeNodes]) {
      const uses = await measureProcessorUse(cluster, side, requestsUnderLoad);
      processorUse[side.kind] = uses;
      for (const operation of operations) {
        const { service, coordinator, workers } = uses[operation];
        const parts = `service ${service.toFixed(2)} ms, coordinator ${coordinator.toFixed(2)} ms, workers ${workers.toFixed(2)} ms`;
        say(`CPU time of ${operation} on ${side.kind}: ${parts}`);
      }
    }
    for (const side of sides) {
      const text = `ms in which a bank with ${linkedCompanies} companies lists ${bankLimit} pending contributions, ${side.kind}`;
      figures.push(atMost(text, await measureBank(side), mostBankMs));
    }
    for (const { text, value, comparison, bound, isMet } of figures)
      say(`${isMet ? 'met' : 'NOT MET'}: ${text}: ${value.toFixed(2)} ${comparison} ${bound}`);
    const medians = Object.fromEntries(
      kinds.map((kind) => [
        kind,
        Object.fromEntries(operations.map((operation) => [operation, median(times[kind][operation])])),
      ]),
    );
    say(writeResult('bench-citus', { busy, rounds, medians, commands, processorUse, figures }));
    if (figures.some(({ isMet }) => !isMet)) process.exitCode = 1;
  } finally {
    for (const { program } of sides) await program.stop();
    await cluster.remove();
    rmSync(folder, { recursive: true });
  }
});
