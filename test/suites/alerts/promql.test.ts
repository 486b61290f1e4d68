import { parseQuery } from './promql';

test('a query is parsed into metrics, matchers and groupings', () => {
  expect(parseQuery('sum by (le, route) (rate(a_total{x="1", y=~"2|3"}[5m])) / max(b)')).toEqual({
    selections: [
      {
        metric: 'a_total',
        matchers: [
          { label: 'x', value: '1', isExact: true },
          { label: 'y', value: '2|3', isExact: false },
        ],
      },
      { metric: 'b', matchers: [] },
    ],
    groupings: ['le', 'route'],
  });
});

test.each(['sum(a', 'rate(a[5m]) >', 'a{x=}', '1', 'a{x="1"} b'])('%s is rejected', (text) => {
  expect(() => parseQuery(text)).toThrow();
});
