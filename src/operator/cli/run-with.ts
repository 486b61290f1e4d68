import type { Config } from '../../read-settings';
import { changeWith } from './change';
import type { CommandIo } from './command-io';
import { type Build, companiesOf, inTransaction, runCommand, withOperatorUrl } from './operator';

const readWith =
  <Services>(build: Build<Services>) =>
  <Result>(
    io: CommandIo,
    read: (services: Services, config: Config) => Promise<Result>,
    show: (result: Result) => void | Promise<void>,
  ): Promise<void> =>
    runCommand(io, (config) =>
      withOperatorUrl(config, async (operatorUrl) => {
        const work: Build<Promise<Result>> = (...transaction) => read(build(...transaction), config);
        await show(await inTransaction(config, operatorUrl, 'read', work));
      }),
    );

/** The ways to run a command whose work uses what `build` creates within its transaction. */
export const runWith = <Services>(build: Build<Services>) => ({
  runChange: changeWith(build),

  /** Runs a command that only reads, in one read-only snapshot. */
  runRead: readWith(build),

  /**
   * Like `runRead`, for a command that shows only the rows of a company, if one is given.
   *
   * @param company its name or company_id; `read` gets the name as stored
   * @throws OperatorError if there is no such company
   */
  runReadOf: <Result>(
    io: CommandIo,
    company: string | undefined,
    read: (services: Services, name: string | undefined) => Promise<Result>,
    show: (result: Result) => void | Promise<void>,
  ): Promise<void> =>
    readWith((queries, peppers) => ({
      companies: companiesOf(queries),
      services: build(queries, peppers),
    }))(
      io,
      async ({ companies, services }) =>
        read(services, company === undefined ? undefined : (await companies.find(company)).name),
      show,
    ),
});
