import { PackedList, readStatementFile } from '../src';

/** Entries of a file in compressed blocks. */
const items = Array.from({ length: 1_234 }, (_, at) => ({
  at,
  cents: BigInt(at) ** 3n,
  text: `entry ${at}`,
}));

test('returns its items in order, whenever it is packed and however often it is read', () => {
  const list = new PackedList<(typeof items)[number]>();
  for (const item of items) {
    list.push(item);
    if (item.at % 333 === 0) list.pack();
  }
  expect(list).toHaveLength(items.length);
  expect([...list]).toEqual(items);
  expect([...list]).toEqual(items);
  expect([...new PackedList()]).toEqual([]);
});

test('a file of several statements keeps few entries as objects', () => {
  const statement = [
    '03,990000003000,USD,010,0/',
    ...Array<string>(400).fill('16,142,100,Z,R1/'),
    '49,0,402/',
  ];
  const lines = ['01,A,B,261102,0600,1,,,2/', '02,A,B,1,261102,,USD,2/'];
  const file = [...lines, ...Array<string[]>(50).fill(statement).flat(), '98,0,50,1/', '99,0,1,1/'].join(
    '\n',
  );
  const { statements } = readStatementFile(Buffer.from(file));
  expect(statements.flatMap(({ entries }) => [...entries])).toHaveLength(20_000);
  expect(statements.map(({ entries }) => entries.unpacked)).toEqual([...Array<number>(49).fill(0), 400]);
});
