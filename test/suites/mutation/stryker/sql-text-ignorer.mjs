import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

const sql = /\b(SELECT|EXISTS|FROM|JOIN|INSERT|UPDATE)\b|\b[a-z]\.[a-z_]+/;

/**
 * Leaves the text of SQL alone. A text that computes something in its places is not left alone,
 * because that computation would be left out with it.
 */
export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'sql-text', {
    shouldIgnore({ node }) {
      if (node.type !== 'TemplateLiteral') return undefined;
      const isText = node.expressions.every(({ type }) => type === 'Identifier');
      return isText && node.quasis.some(({ value }) => sql.test(value.raw)) ? 'SQL' : undefined;
    },
  }),
];
