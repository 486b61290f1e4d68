import { setTimeout as delay } from 'node:timers/promises';

import type { CitusNode } from '../../support/citus/cluster';
import type { FaultKind } from '../faults/kinds/kind';
import { serviceKilled } from '../faults/kinds/service-faults';
import type { Random } from '../faults/random';
import type { CitusWorld } from './world';

type Kind = FaultKind<CitusWorld>;

/** Mostly short; sometimes longer than the service waits for a reply of the database (5 s). */
const draw = (random: Random): number =>
  random.chance(0.25) ? random.integer(5_200, 6_500) : random.integer(100, 2_000);

const serveWithinMs = 60_000;

/** Resolves when requests of every tenant succeed, so that the fault is over for all of them. */
async function untilAllServed({ http, tenants }: CitusWorld): Promise<void> {
  const waiting = new Set(tenants.environments);
  for (const deadline = Date.now() + serveWithinMs; waiting.size > 0 && Date.now() < deadline;) {
    for (const environment of waiting) {
      const call = { method: 'GET', path: 'contributions?limit=1', pair: environment.company } as const;
      const { response } = await http.send(call);
      if (response?.status === 200) waiting.delete(environment);
    }
    if (waiting.size > 0) await delay(50);
  }
  if (waiting.size > 0) throw new Error(`${waiting.size} tenants are not served again`);
}

const killed = (name: string, nodeOf: (world: CitusWorld, random: Random) => CitusNode): Kind => ({
  name,
  async inject(world, random) {
    const node = nodeOf(world, random);
    const hitAt = Date.now();
    node.kill();
    await delay(draw(random));
    await node.start();
    await untilAllServed(world);
    return { hitAt };
  },
});

const workerKilled = killed('worker killed', ({ workers }, random) => random.pick(workers));
const coordinatorKilled = killed('coordinator killed', ({ cluster }) => cluster.coordinator);

const workerFrozen: Kind = {
  name: 'worker frozen',
  async inject(world, random) {
    const hitAt = Date.now();
    const thaw = random.pick(world.workers).freeze();
    await delay(draw(random));
    thaw();
    await untilAllServed(world);
    return { hitAt };
  },
};

const workerRestarted: Kind = {
  name: 'worker restarted',
  async inject(world, random) {
    const node = random.pick(world.workers);
    const hitAt = Date.now();
    await node.stop('fast');
    await node.start();
    await untilAllServed(world);
    return { hitAt };
  },
};

const repeatWithinMs = 60_000;

/**
 * Repeats an operator's command until it succeeds. A move fails while a statement uses what an
 * earlier move has left, or while a worker is still recovering.
 */
async function repeated(step: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + repeatWithinMs;
  for (;;) {
    try {
      await step();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(500);
    }
  }
}

const modes = ['block_writes', 'force_logical'];

/** Moves the rows of some tenants, with those of all their tables, to the other worker. */
const shardMoved: Kind = {
  name: 'shard moved',
  async inject(world, random) {
    const { environmentId } = random.pick(world.tenants.environments);
    const [found] = await world.query<{ shardid: string; nodeport: number }>(
      `SELECT shardid, nodeport FROM citus_shards
        WHERE shardid = get_shard_id_for_distribution_column('users', $1::integer)`,
      [environmentId],
    );
    const target = world.workers.find(({ port }) => port !== found?.nodeport);
    const values = [found?.shardid, found?.nodeport, target?.port, random.pick(modes)];
    const hitAt = Date.now();
    await repeated(() =>
      world.query(`SELECT citus_move_shard_placement($1, '127.0.0.1', $2, '127.0.0.1', $3, $4)`, values),
    );
    await untilAllServed(world);
    return { hitAt };
  },
};

/**
 * Drops what the moved shards left on the spare node. A shard that a statement still uses stays
 * with only a warning. Once the node is removed, it cannot be dropped, and no later move of this
 * shard would succeed.
 */
async function cleanUp({ query, spare }: CitusWorld): Promise<void> {
  await query('CALL citus_cleanup_orphaned_resources()');
  const left = await query(
    `SELECT object_name FROM pg_dist_cleanup JOIN pg_dist_node ON groupid = node_group_id WHERE nodeport = $1`,
    [spare.port],
  );
  if (left.length > 0) throw new Error(`${left.length} orphaned shards are still used`);
}

const nodeAdded: Kind = {
  name: 'node added, rebalanced and removed',
  async inject(world, random) {
    const mode = random.pick(modes);
    const address = ['127.0.0.1', world.spare.port];
    const hitAt = Date.now();
    const run = (text: string, values: unknown[] = []) => repeated(() => world.query(text, values));
    await run('SELECT citus_add_node($1, $2)', address);
    await run('SELECT rebalance_table_shards(shard_transfer_mode => $1)', [mode]);
    await untilAllServed(world);
    await run('SELECT citus_drain_node($1, $2, $3)', [...address, mode]);
    await repeated(() => cleanUp(world));
    await run('SELECT citus_remove_node($1, $2)', address);
    await untilAllServed(world);
    return { hitAt };
  },
};

const catchWithinMs = 10_000;

/**
 * Kills the coordinator while a worker has a prepared transaction. It is one of the relay, which
 * writes feeds on two workers, or a change of the catalogue, which writes to every node.
 */
const commitInterrupted: Kind = {
  name: 'two-phase commit interrupted',
  async inject(world, random) {
    const { cluster, workers, query } = world;
    const worker = random.pick(workers);
    let isCaught = false;
    const change = async (): Promise<void> => {
      while (!isCaught) {
        await query('UPDATE projects SET updated_at = statement_timestamp() WHERE project_id = 1').catch(() =>
          delay(20),
        );
      }
    };
    const changing = change();
    let hitAt = Date.now();
    for (const deadline = hitAt + catchWithinMs; Date.now() < deadline && !isCaught;) {
      isCaught = await world.on(worker, waitForPrepared).then(
        () => false,
        (error: unknown) => (error as Error).message === 'a transaction is prepared',
      );
    }
    if (!isCaught) throw new Error('no prepared transaction was seen');
    hitAt = Date.now();
    cluster.coordinator.kill();
    await changing;
    await delay(random.integer(0, 500));
    await cluster.coordinator.start();
    await untilAllServed(world);
    return { hitAt };
  },
};

/** Polls within the server, because a transaction is prepared for a few milliseconds. */
const waitForPrepared = `
  DO $$ BEGIN
    FOR attempt IN 1..20000 LOOP
      IF EXISTS (SELECT FROM pg_prepared_xacts) THEN
        RAISE EXCEPTION 'a transaction is prepared';
      END IF;
    END LOOP;
  END $$`;

/** Every kind of fault. Seeds depend on the order. */
export const citusFaultKinds: readonly Kind[] = [
  workerKilled,
  coordinatorKilled,
  workerFrozen,
  workerRestarted,
  shardMoved,
  nodeAdded,
  commitInterrupted,
  serviceKilled,
];
