import { service } from '../programs/contestants';
import { freePort, RunningProgram } from '../programs/program';
import { queryAt, type Server } from '../world/server';
import { openWorld, type World } from '../world/world';

/** A service with a database of its own. */
export interface Side extends World {
  name: string;
  program: RunningProgram;
}

/** The functions that a create and a completion run. */
const writers = ['create_contribution', 'complete_contribution_of'];
const queuesEvent = /\n *INSERT INTO event_queue [^;]+;/;

/** Makes creates and completions append their events without queueing them for the feed. */
async function removeFeed(adminUrl: string): Promise<void> {
  for (const name of writers) {
    const [found] = await queryAt<{ text: string }>(
      adminUrl,
      'SELECT pg_get_functiondef($1::regproc) AS text',
      [name],
    );
    const text = found?.text ?? '';
    if (!queuesEvent.test(text)) throw new Error(`${name} queues no event`);
    await queryAt(adminUrl, text.replace(queuesEvent, ''));
  }
}

/** Starts the shipped service and pauses it. */
export async function openSide(
  server: Server,
  options: { scale: number; seed: number; poolSize: number; logFile: string },
  { name, hasFeed, delivers }: { name: string; hasFeed: boolean; delivers: boolean },
): Promise<Side> {
  const world = await openWorld(server, options);
  try {
    if (!hasFeed) await removeFeed(world.adminUrl);
    const command = service.command({
      databaseUrl: world.serviceUrl,
      tenant: world.world.tenant,
      poolSize: options.poolSize,
      port: await freePort(),
      logFile: options.logFile,
      fixedBodies: {},
    });
    const environment = { ...command.environment, DELIVERY: delivers ? 'on' : 'off' };
    const program = await RunningProgram.start({ ...command, environment });
    await program.pause();
    return { name, program, ...world };
  } catch (error) {
    await world.close();
    throw error;
  }
}
