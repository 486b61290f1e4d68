import { type PathValues, sampleOf } from '../sample';
import { send } from '../send';
import { statementFile, uploadAndWait } from '../../statement-files';
import type { Client } from '../../client';
import type { DocumentedOperation } from '../../openapi/operations';
import type { ResponseSummary } from '../send';
import type { World } from '../world';
import type { ErrorTriggers } from './trigger';

/** The amount of the contributions of a world. */
const cents = 25_00n;

/** Uploads a statement with one entry, and returns the entry_id. */
export async function uploadEntry(client: Client, line: { id: string; cents: bigint }): Promise<string> {
  const file = await uploadAndWait(
    client,
    statementFile([{ ...line, reference: `R-${line.id}` }], { from: '2026-11-20' }),
  );
  const { body } = await client.get(`/company/integration/statements/${file.file_id}/entries`).expect(200);
  return (body as { data: { entry_id: string }[] }).data[0]!.entry_id;
}

/** Uploads a statement of October with one entry, and returns what paths can name of it. */
async function uploadOctober(world: World, client: Client): Promise<PathValues> {
  const day = '2026-10-30';
  const line = { cents, text: 'rent', reference: 'R-4', date: day };
  const { file_id: fileId, accounts } = await uploadAndWait(client, statementFile([line], { from: day }));
  const { body } = await client.get(`/company/integration/statements/${fileId}/entries`).expect(200);
  return {
    ...(await world.pathValues(client)),
    ...{ file_id: fileId, account_id: accounts[0]!.account_id, day, month: '2026-10' },
    entry_id: (body as { data: { entry_id: string }[] }).data[0]!.entry_id,
  };
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
    if (isDecision(operation)) {
      return decide(world, operation, client, { action: 'complete' }, { id: 'NO-REFERENCE' });
    }
    const values = await uploadOctober(world, client);
    // No rule exists, no answer was given, and the month is not over.
    const body: Record<string, object> = {
      addAccountNumber: { other_account_id: values['account_id'] },
      answerDayQuestion: { kind: 'undo' },
      setAccountRule: { outcome: 'none' },
    };
    const future = { ...values, month: '2999-11' };
    return send(world.service, client, sampleOf(operation, future, body[operation.operationId]));
  },

  question_changed: async (world, operation) => {
    const { test: client } = await world.service.addCompany();
    return send(world.service, client, sampleOf(operation, await uploadOctober(world, client)));
  },

  month_closed: async (world, operation) => {
    const { test: client } = await world.service.addCompany();
    const values = await uploadOctober(world, client);
    await world.database.admin.query(
      `INSERT INTO closed_months (environment_id, month, closed_by)
       SELECT environment_id, '2026-10-01', 'a person' FROM statement_uploads WHERE upload_id = $1`,
      [values['file_id']],
    );
    const body = isDecision(operation) ? { allocations: [], action: 'ignore' } : {};
    return send(world.service, client, sampleOf(operation, values, body));
  },

  decision_superseded: async (world, operation) => {
    const { test: client } = await world.service.addCompany();
    const entryId = await uploadEntry(client, { id: 'NO-REFERENCE', cents });
    const decideTo = (action: string) =>
      send(
        world.service,
        client,
        sampleOf(operation, { entry_id: entryId }, { allocations: [], action, seen: 0 }),
      );
    await decideTo('ignore');
    return decideTo('unlink');
  },

  statement_options_differ: async (world, operation) => {
    const { test: client } = await world.service.addCompany();
    const file = statementFile([{ cents, reference: 'R-3' }], { from: '2026-11-20' });
    await uploadAndWait(client, file);
    const { target, ...sample } = sampleOf(operation, {});
    return send(world.service, client, { ...sample, target: `${target}?direction=debit`, body: file });
  },

  statement_unreadable: async (world, operation) => {
    const { target, ...sample } = sampleOf(operation, {});
    const unreadable = { ...sample, target: `${target}?dry_run=1`, body: '<Document>' };
    return send(world.service, world.client, unreadable);
  },
};
