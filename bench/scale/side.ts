import type { BenchOptions } from '../options';
import { service } from '../programs/contestants';
import { freePort, RunningProgram } from '../programs/program';
import type { RequestWorld } from '../operations';
import { openDatabase } from '../world/database';
import type { Server } from '../world/server';
import { createTenant } from '../world/tenant';

/** The service on a database of one size. */
export interface Side {
  scale: number;
  world: RequestWorld;
  adminUrl: string;
  program: RunningProgram;
  close: () => Promise<void>;
}

export async function openSide(
  server: Server,
  scale: number,
  { seed, poolSize = 16 }: BenchOptions,
  logFile: string,
): Promise<Side> {
  const database = await openDatabase(server, scale, seed);
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
    scale,
    world: { ownerUrl, tenant },
    adminUrl: server.url('superuser', database.name),
    program,
    async close() {
      await program.stop();
      await database.close();
    },
  };
}
