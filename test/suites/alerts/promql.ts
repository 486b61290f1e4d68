import { parser } from '@prometheus-io/lezer-promql';

/** The names in a query: a metric, and the labels that it matches or groups by. */
export interface Selection {
  metric: string;
  matchers: { label: string; value: string; isExact: boolean }[];
}

export interface Query {
  selections: Selection[];
  /** Labels of `by (…)`. */
  groupings: string[];
}

/** Replacements for the variables of Grafana and Prometheus. */
const withoutVariables = (text: string): string => text.replaceAll('$__rate_interval', '5m');

/** @throws Error when the text is not valid PromQL */
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
  if (selections.length === 0) throw new Error(`a query without metrics: ${source}`);
  return { selections, groupings };
}
