import type { Client } from '../../client';
import { sendReturn, sendUndo } from '../../returns';
import { type PathValues, sampleOf } from '../sample';
import { send } from '../send';
import type { World } from '../world';
import type { ErrorTrigger, ErrorTriggers } from './trigger';

/** A completed contribution of 25.00. */
export async function completed(world: World, client: Client, completer = client): Promise<PathValues> {
  const values = await world.pathValues(client);
  const path = `/company/integration/contributions/${values['transaction_id'] ?? ''}`;
  await completer.put(path, { status: 'completed' }).expect(200);
  return values;
}

/** The same with a return of 20.00 and an undo of 0.50. The references are from the examples. */
async function returned(world: World): Promise<{ client: Client; values: PathValues }> {
  // Another trigger may have linked the simulated bank to the world's company.
  const { test: client } = await world.service.addCompany();
  const values = await completed(world, client);
  const id = values['transaction_id'] ?? '';
  const { body } = await sendReturn(client, id, { amount: '20.00', bank_reference: 'RT-2026-0007' }).expect(
    201,
  );
  const returnId = (body as { return_id: string }).return_id;
  await sendUndo(client, id, returnId, { amount: '0.50', bank_reference: 'PA-2026-0003' }).expect(201);
  return { client, values: { ...values, return_id: returnId } };
}

/** A completed contribution of 25.00 that was returned in full. */
export async function fullyReturned(world: World, client: Client): Promise<PathValues> {
  const values = await completed(world, client);
  const response = await sendReturn(client, values['transaction_id'] ?? '', { amount: '25.00' }).expect(201);
  return { ...values, return_id: (response.body as { return_id: string }).return_id };
}

/** A bank completed the contribution, and its company sends the request. */
const reserved: ErrorTrigger = async (world, operation) => {
  const [company, bank] = [await world.service.addCompany(), await world.service.addCompany()];
  await world.service.companies.linkBank('test', company.name, bank.name);
  const values = await completed(world, company.test, bank.test);
  return send(world.service, company.test, sampleOf(operation, values));
};

/** Errors of returns and corrections. */
export const returnWays: ErrorTriggers = {
  return_reserved: reserved,
  correction_reserved: reserved,

  contribution_has_returns: async (world, operation) => {
    const { client, values } = await returned(world);
    return send(world.service, client, sampleOf(operation, values));
  },

  contribution_not_completed: async (world, operation) =>
    send(world.service, world.client, sampleOf(operation, await world.pathValues())),

  correction_ambiguous: async (world, operation) => {
    const { test: client } = await world.service.addCompany();
    const values = await completed(world, client);
    const path = `/company/integration/contributions/${values['transaction_id'] ?? ''}`;
    await client.post(`${path}/correction`, { reason: 'of an earlier correction' }).expect(201);
    await client.put(path, { status: 'completed', bank_reference: 'of a later payment' }).expect(200);
    return send(world.service, client, sampleOf(operation, values));
  },

  return_not_found: async (world, operation) => {
    const { test: client } = await world.service.addCompany();
    return send(world.service, client, sampleOf(operation, await completed(world, client)));
  },

  return_exceeds_amount: async (world, operation) => {
    const { client, values } = await returned(world);
    const more = { amount: '25.01', bank_reference: 'of another return' };
    return send(world.service, client, sampleOf(operation, values, more));
  },

  return_reference_reused: async (world, operation) => {
    const { client, values } = await returned(world);
    return send(world.service, client, sampleOf(operation, values));
  },
};
