import type { RequestWorld } from '../operations';
import { openDatabase } from './database';
import type { Server } from './server';
import { createTenant } from './tenant';

/** A database of one size and a company that sends requests. */
export interface World {
  world: RequestWorld;
  serviceUrl: string;
  adminUrl: string;
  close: () => Promise<void>;
}

export async function openWorld(
  server: Server,
  { scale, seed }: { scale: number; seed: number },
): Promise<World> {
  const database = await openDatabase(server, scale, seed);
  try {
    const ownerUrl = server.url('owner', database.name);
    return {
      world: { ownerUrl, tenant: await createTenant(ownerUrl) },
      serviceUrl: server.url('service', database.name),
      adminUrl: server.url('superuser', database.name),
      close: () => database.close(),
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}
