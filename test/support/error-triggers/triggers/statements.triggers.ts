import { sampleOf } from '../sample';
import { send } from '../send';
import { statementFile, uploadAndMatch } from '../../statement-files';
import type { Client } from '../../client';
import type { DocumentedOperation } from '../../openapi/operations';
import type { ResponseSummary } from '../send';
import type { World } from '../world';
import type { ErrorTriggers } from './trigger';

/** The amount of the contributions of a world. */
const cents = 25_00n;

/** Uploads a statement with one entry, and returns the entry_id. */
export async function uploadEntry(client: Client, line: { id: string; cents: bigint }): Promise<string> {
  const file = await uploadAndMatch(
    client,
    statementFile([{ ...line, reference: `R-${line.id}` }], { from: '2026-11-20' }),
  );
  const { body } = await client.get(`/company/integration/statements/${file.file_id}/entries`).expect(200);
  return (body as { data: { entry_id: string }[] }).data[0]!.entry_id;
}

/** Sends a decision about an entry that pays a pending contribution of the client. */
export async function decide(
  world: World,
  operation: DocumentedOperation,
  client: Client,
  decision: object,
  entry: { id?: string; cents?: bigint } = {},
): Promise<ResponseSummary> {
  const { transaction_id: id = '' } = await world.pathValues(client);
  const entryId = await uploadEntry(client, { id, cents, ...entry });
  const values = { transaction_id: id, entry_id: entryId };
  return send(world.service, client, sampleOf(operation, values, { allocations: [], ...decision }));
}

export const isDecision = ({ operationId }: DocumentedOperation): boolean => operationId === 'decideEntry';

/** Errors of bank statements. */
export const statementWays: ErrorTriggers = {
  statement_not_found: async (world, operation) =>
    send(world.service, world.client, sampleOf(operation, await world.pathValues())),

  statement_account_not_found: async (world, operation) =>
    send(world.service, world.client, sampleOf(operation, await world.pathValues())),

  statement_entry_not_found: async (world, operation) =>
    send(world.service, world.client, sampleOf(operation, await world.pathValues())),

  decision_not_applicable: async (world, operation) => {
    const { test: client } = await world.service.addCompany();
    return decide(world, operation, client, { action: 'complete' }, { id: 'NO-REFERENCE' });
  },

  decision_superseded: async (world, operation) => {
    const { test: client } = await world.service.addCompany();
    const entryId = await uploadEntry(client, { id: 'NO-REFERENCE', cents });
    const decideTo = (action: string) =>
      send(world.service, client, sampleOf(operation, { entry_id: entryId }, { allocations: [], action }));
    await decideTo('ignore');
    await decideTo('unlink');
    return decideTo('ignore');
  },

  account_direction_differs: async (world, operation) => {
    const { test: client } = await world.service.addCompany();
    await uploadEntry(client, { id: 'NO-REFERENCE', cents });
    const another = statementFile([{ cents, reference: 'R-2' }], { from: '2026-11-21' });
    const { target, ...sample } = sampleOf(operation, {});
    return send(world.service, client, { ...sample, target: `${target}?direction=debit`, body: another });
  },

  statement_options_differ: async (world, operation) => {
    const { test: client } = await world.service.addCompany();
    const file = statementFile([{ cents, reference: 'R-3' }], { from: '2026-11-20' });
    await uploadAndMatch(client, file);
    const { target, ...sample } = sampleOf(operation, {});
    return send(world.service, client, { ...sample, target: `${target}?direction=debit`, body: file });
  },

  statement_unreadable: async (world, operation) =>
    send(world.service, world.client, { ...sampleOf(operation, {}), body: '<Document>' }),
};
