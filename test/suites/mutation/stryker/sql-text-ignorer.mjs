import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

const sql = /\b(SELECT|EXISTS|FROM|JOIN|INSERT|UPDATE)\b|\b[a-z]\.[a-z_]+/;

/**
 * Ignores SQL texts. Template texts with computations are not ignored, because that would also skip
 * the computations.
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
