import { settings } from '../../src/config';

/** The table of every setting, from the schema that reads them. */
export function describeSettings(): string {
  const rows = Object.entries(settings.shape).map(([name, schema]) => {
    // What an empty environment gives is the default, in the words of the schema itself.
    const byDefault = (
      schema as { def: { defaultValue?: unknown; in?: { def: { defaultValue?: unknown } } } }
    ).def;
    const value = byDefault.defaultValue ?? byDefault.in?.def.defaultValue;
    const shown =
      typeof value === 'number' || (typeof value === 'string' && value !== '') ? `\`${value}\`` : '';
    return `| \`${name}\` | ${shown} | ${schema.description ?? ''} |`;
  });
  return ['| Variable | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

/** Replaces what stands between `<!-- name -->` and `<!-- /name -->`. */
export function insertBetweenMarkers(text: string, name: string, content: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [start, end] = [text.indexOf(open), text.indexOf(close)];
  if (start < 0 || end < start) throw new Error(`there is no ${open} … ${close}`);
  return `${text.slice(0, start + open.length)}\n\n${content}\n\n${text.slice(end)}`;
}
