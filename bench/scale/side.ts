import { type BenchOptions, usualPoolSize } from '../options';
import { service } from '../programs/contestants';
import { freePort, RunningProgram } from '../programs/program';
import type { RequestWorld } from '../operations';
import type { Server } from '../world/server';
import { openWorld } from '../world/world';

/**
 * The service on a database of one size. It keeps running while the other scale is measured, and
 * reopens idle connections.
 */
export interface Side {
  world: RequestWorld;
  adminUrl: string;
  program: RunningProgram;
  close: () => Promise<void>;
}

export async function openSide(
  server: Server,
  scale: number,
  { seed, poolSize = usualPoolSize }: BenchOptions,
  logFile: string,
): Promise<Side> {
  const { world, serviceUrl, adminUrl, close } = await openWorld(server, { scale, seed });
  try {
    const program = await RunningProgram.start(
      service.command({
        databaseUrl: serviceUrl,
        tenant: world.tenant,
        poolSize,
        port: await freePort(),
        logFile,
        fixedBodies: {},
      }),
    );
    return {
      world,
      adminUrl,
      program,
      async close() {
        await program.stop();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
