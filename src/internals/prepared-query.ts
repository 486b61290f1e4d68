import { type ClientBase, type Connection, type QueryResultRow, type Submittable, types } from 'pg';
import { prepareValue } from 'pg/lib/utils';

/** The prepared statements of a connection by name. The types of `pg` omit this property. */
interface Parsed {
  readonly parsedStatements: Readonly<Record<string, string | undefined>>;
}

/** A column of a result, as PostgreSQL describes it. */
interface ColumnDescription {
  readonly name: string;
  readonly dataTypeID: Parameters<typeof types.getTypeParser>[0];
}

type Parser = (text: string) => unknown;

interface Columns {
  readonly names: readonly string[];
  readonly parsers: readonly Parser[];
  /** Contains all columns, so that V8 uses one shape for all rows. */
  readonly emptyRow: QueryResultRow;
}

/**
 * The columns by connection and query name. They cannot change, because PostgreSQL would refuse
 * to run the prepared statement.
 */
const knownColumns = new WeakMap<Connection, Map<string, Columns>>();

// Required by the types of `pg`, but ignored.
const more = false;

/**
 * Runs a named prepared statement in one round trip (PostgreSQL documentation, "Extended Query").
 *
 * `pg` requests a description of the columns with each run, although it cannot change. This
 * requests it once for each connection. Without this, a user's main component takes 1.11 times the
 * CPU time (21 pairs of starts, 95 % interval 1.06 to 1.16).
 *
 * This uses `prepareValue` of `pg/lib/utils` and `parsedStatements` of a connection. If an upgrade
 * of `pg` changes them, `test/schema/queries/prepared-query.test.ts` fails. Then remove this
 * file and call `client.query({ name, text, values })`.
 *
 * @throws RangeError for a value that contains itself; errors of PostgreSQL and of the connection
 */
export function runPrepared<Row extends QueryResultRow>(
  client: ClientBase,
  query: { name: string; text: string },
  values: readonly unknown[],
): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    client.query(
      new PreparedQuery(query, values, (failure, rows) => {
        if (failure) reject(failure);
        else resolve(rows as Row[]);
      }),
    );
  });
}

/** One run of a query. The client calls the handlers with PostgreSQL's messages. */
class PreparedQuery implements Submittable {
  readonly name: string;
  readonly text: string;
  private readonly sentValues: (string | Buffer | null)[];
  private readonly rows: QueryResultRow[] = [];
  private known: Map<string, Columns> | undefined;
  private columns: Columns | undefined;
  private failure: Error | undefined;

  /** @param callback called once, with all rows or the failure */
  constructor(
    { name, text }: { name: string; text: string },
    values: readonly unknown[],
    private readonly callback: (failure: Error | undefined, rows: QueryResultRow[]) => void,
  ) {
    this.name = name;
    this.text = text;
    this.sentValues = values.map((value) => prepareValue(value));
  }

  /** @returns an error if nothing was sent */
  submit(connection: Connection): Error | null {
    const { name, text } = this;
    const parsed = (connection as Connection & Parsed).parsedStatements[name];
    if (parsed !== undefined && parsed !== text) return new Error(`two statements have the name ${name}`);
    this.known = columnsOf(connection);
    this.columns = this.known.get(name);
    connection.stream.cork();
    if (parsed === undefined) connection.parse({ name, text, types: [] }, more);
    connection.bind({ statement: name, values: this.sentValues }, more);
    if (!this.columns) connection.describe({ type: 'P', name: '' }, more);
    connection.execute(null, more);
    connection.sync();
    connection.stream.uncork();
    return null;
  }

  handleRowDescription({ fields }: { fields: readonly ColumnDescription[] }): void {
    this.columns = {
      names: fields.map(({ name }) => name),
      parsers: fields.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text') as Parser),
      emptyRow: Object.fromEntries(fields.map(({ name }) => [name, null])),
    };
    this.known?.set(this.name, this.columns);
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    try {
      this.rows.push(rowOf(fields, this.columns));
    } catch {
      // An error thrown here would end the process. Report it when the connection is ready again,
      // and without the value.
      this.failure = new Error(`a row of ${this.name} cannot be read`);
    }
  }

  handleCommandComplete(): void {
    // Wait for ReadyForQuery: the connection cannot run the next query yet.
  }

  handleReadyForQuery(): void {
    this.callback(this.failure, this.rows);
  }

  handleError(failure: Error): void {
    this.callback(failure, []);
  }
}

function columnsOf(connection: Connection): Map<string, Columns> {
  let known = knownColumns.get(connection);
  if (!known) knownColumns.set(connection, (known = new Map<string, Columns>()));
  return known;
}

function rowOf(texts: readonly (string | null)[], columns: Columns | undefined): QueryResultRow {
  if (columns?.names.length !== texts.length)
    throw new Error('its columns are not those that were described');
  const { names, parsers, emptyRow } = columns;
  const row = { ...emptyRow };
  for (let place = 0; place < texts.length; place += 1) {
    const [text, name, parse] = [texts[place], names[place], parsers[place]];
    if (typeof text === 'string' && name !== undefined && parse) row[name] = parse(text);
  }
  return row;
}
