import type { Response, Test } from 'supertest';

import { addProject } from './catalogue';
import type { Client } from './client';
import type { TestCompany, TestService } from './service';

const contributions = '/company/integration/contributions';

/** One company's contributions in the test environment, and its linked banks. */
export interface Completions {
  create(amount?: string): Promise<string>;
  complete(client: Client, id: string, evidence?: object): Test;
  /** Creates a contribution, which the company itself completes. Returns its id. */
  createCompleted(amount?: string, evidence?: object): Promise<string>;
  link(bank: TestCompany): Promise<boolean>;
  unlink(bank: TestCompany): Promise<void>;
  read(client: Client, id: string): Test;
  /** The ids in a list. */
  listed(client: Client, query?: string): Promise<string[]>;
  /** The events after the creation, oldest first, each with the name of the acting company. */
  events(id: string): Promise<Record<string, unknown>[]>;
  /** The whole row. */
  row(id: string): Promise<unknown>;
}

export async function createCompletions(service: TestService, company: TestCompany): Promise<Completions> {
  const { admin } = service.database;
  const projectId = await addProject(admin);
  let userCount = 0;
  async function create(amount = '25.50'): Promise<string> {
    const body = { project_id: projectId, amount, user_hash: `user-${(userCount += 1)}` };
    const response: Response = await company.test.put(`${contributions}/create`, body).expect(201);
    return (response.body as { transaction_id: string }).transaction_id;
  }
  const complete = (client: Client, id: string, evidence = {}): Test =>
    client.put(`${contributions}/${id}`, { status: 'completed', ...evidence });
  return {
    create,
    complete,
    async createCompleted(amount, evidence) {
      const id = await create(amount);
      await complete(company.test, id, evidence).expect(200);
      return id;
    },
    link: (bank) => service.companies.linkBank('test', company.name, bank.name),
    unlink: (bank) => service.companies.unlinkBank('test', company.name, bank.name),
    read: (client, id) => client.get(`${contributions}/${id}`),
    async listed(client, query = '') {
      const response: Response = await client.get(`${contributions}?${query}`).expect(200);
      return (response.body as { data: { transaction_id: string }[] }).data.map(
        ({ transaction_id: id }) => id,
      );
    },
    async events(id) {
      const { rows } = await admin.query<Record<string, unknown>>(
        `SELECT v.type, v.evidence, c.name AS actor
           FROM events v JOIN environments e ON e.environment_id = v.actor_environment_id JOIN companies c USING (company_id)
          WHERE v.transaction_id = $1 AND v.type <> 'contribution.created' ORDER BY v.recorded_at, v.event_id`,
        [id],
      );
      return rows;
    },
    async row(id) {
      const { rows } = await admin.query<{ row: unknown }>(
        'SELECT to_jsonb(t) AS row FROM transactions t WHERE transaction_id = $1',
        [id],
      );
      return rows[0]!.row;
    },
  };
}
