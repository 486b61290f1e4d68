import { type BenchOptions, usualPoolSize } from '../options';
import { service } from '../programs/contestants';
import { freePort, RunningProgram } from '../programs/program';
import type { RequestWorld } from '../operations';
import { openDatabase } from '../world/database';
import type { Server } from '../world/server';
import { createTenant } from '../world/tenant';

/** The service on a database of one size. It runs on while the other side is measured: connections that were idle for long are opened anew. */
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
  const database = await openDatabase(server, scale, seed);
  try {
    const ownerUrl = server.url('owner', database.name);
    const tenant = await createTenant(ownerUrl);
    const program = await RunningProgram.start(
      service.command({
        databaseUrl: server.url('service', database.name),
        tenant,
        poolSize,
        port: await freePort(),
        logFile,
        fixedBodies: {},
      }),
    );
    return {
      world: { ownerUrl, tenant },
      adminUrl: server.url('superuser', database.name),
      program,
      async close() {
        await program.stop();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}
