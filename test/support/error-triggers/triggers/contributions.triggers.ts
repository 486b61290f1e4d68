import { type PathValues, sampleOf } from '../sample';
import { send } from '../send';
import type { World } from '../world';
import { decide, isDecision } from './statements.triggers';
import type { ErrorTriggers } from './trigger';

const createPath = '/company/integration/contributions/create';

async function unknownPathValues(world: World): Promise<PathValues> {
  // The transaction is in the other environment: its check character is valid, but this company has
  // no such transaction.
  const { transaction_id: elsewhere = '' } = await world.pathValues(world.company.production);
  return {
    project_id: '999999',
    story_id: '999999',
    transaction_id: elsewhere,
    return_id: '019aa1b2-0000-7000-8000-000000000000',
  };
}

let count = 0;

/** Errors caused by the state of resources, and by their owner. */
export const contributionWays: ErrorTriggers = {
  resource_not_found: async (world, operation) =>
    send(world.service, world.client, sampleOf(operation, await unknownPathValues(world))),

  transaction_not_found: async (world, operation) => {
    const values = await unknownPathValues(world);
    if (isDecision(operation)) {
      const { test: client } = await world.service.addCompany();
      const allocations = [{ transaction_id: values['transaction_id'], amount: '25.00' }];
      return decide(world, operation, client, { action: 'link', allocations });
    }
    return send(world.service, world.client, sampleOf(operation, values));
  },

  project_not_found: async (world, operation) =>
    send(world.service, world.client, sampleOf(operation, {}, { project_id: 999_999 })),

  project_not_accepting: async (world, operation) =>
    send(world.service, world.client, sampleOf(operation, {}, { project_id: world.archivedProjectId })),

  idempotency_key_reused: async (world, operation) => {
    const key = `reused-${(count += 1)}`;
    await world.client
      .put(createPath, { project_id: 1, amount: '1.00', user_hash: 'another' })
      .set('Idempotency-Key', key)
      .expect(201);
    const sample = sampleOf(operation, {});
    return send(world.service, world.client, {
      ...sample,
      headers: { ...sample.headers, 'Idempotency-Key': key },
    });
  },

  company_suspended: async (world, operation) => {
    const suspended = await world.service.addCompany();
    await world.database.admin.query('UPDATE companies SET suspended_at = now() WHERE name = $1', [
      suspended.name,
    ]);
    return send(world.service, suspended.test, sampleOf(operation, {}));
  },

  completion_reserved_for_bank: async (world, operation) => {
    const [company, bank] = [await world.service.addCompany(), await world.service.addCompany()];
    await world.service.companies.linkBank('test', company.name, bank.name);
    if (isDecision(operation)) return decide(world, operation, company.test, { action: 'complete' });
    return send(world.service, company.test, sampleOf(operation, await world.pathValues(company.test)));
  },

  completed_by_another: async (world, operation) => {
    const company = await world.service.addCompany();
    const [bank, another] = [await world.service.addCompany(), await world.service.addCompany()];
    for (const { name } of [bank, another])
      await world.service.companies.linkBank('test', company.name, name);
    const values = await world.pathValues(company.test);
    if (isDecision(operation)) {
      const id = values['transaction_id'] ?? '';
      await another.test.put(`/company/integration/contributions/${id}`, { status: 'completed' }).expect(200);
      return decide(world, operation, bank.test, { action: 'complete' }, { id });
    }
    const sample = sampleOf(operation, values);
    await send(world.service, another.test, sample);
    return send(world.service, bank.test, sample);
  },

  amount_mismatch: async (world, operation) => {
    // Another trigger may have linked the simulated bank to the world's company.
    const { test: client } = await world.service.addCompany();
    if (isDecision(operation)) {
      return decide(world, operation, client, { action: 'complete' }, { cents: 24_99n });
    }
    const values = await world.pathValues(client);
    return send(world.service, client, sampleOf(operation, values, { amount: '24.99' }));
  },
};
