import { parser } from '@prometheus-io/lezer-promql';

/** The names that a query asks for: a metric, and labels that are compared or grouped by. */
export interface Selection {
  metric: string;
  matchers: { label: string; value: string; isExact: boolean }[];
}

export interface Query {
  selections: Selection[];
  /** Labels of `by (…)`. */
  groupings: string[];
}

/** What Grafana and Prometheus put in the place of their variables. */
const withoutVariables = (text: string): string => text.replaceAll('$__rate_interval', '5m');

/** @throws when the text is not PromQL */
export function parseQuery(text: string): Query {
  const source = withoutVariables(text);
  const selections: Selection[] = [];
  const groupings: string[] = [];
  parser.parse(source).iterate({
    enter({ type, node, from, to }) {
      const written = source.slice(from, to);
      if (type.isError) throw new Error(`no PromQL at ${from}: ${source}`);
      if (type.name === 'VectorSelector') {
        selections.push({ metric: /^[\w:]+/.exec(written)?.[0] ?? '', matchers: [] });
      }
      if (type.name === 'UnquotedLabelMatcher') {
        const [, label = '', operator, value = ''] =
          /^\s*(\w+)\s*(=~|!~|!=|=)\s*["'](.*)["']$/.exec(written) ?? [];
        selections.at(-1)?.matchers.push({ label, value, isExact: operator === '=' });
      }
      if (type.name === 'GroupingLabels') {
        for (let child = node.firstChild; child; child = child.nextSibling) {
          groupings.push(source.slice(child.from, child.to));
        }
        return false;
      }
      return true;
    },
  });
  if (selections.length === 0) throw new Error(`a query of nothing: ${source}`);
  return { selections, groupings };
}
