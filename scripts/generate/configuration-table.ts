import { settings } from '../../src/settings';

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
    return `| \`${name}\` | ${shown} | ${rangeOf(schema)} | ${schema.description ?? ''} |`;
  });
  return ['| Variable | Default | Range | Meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/**
 * What a value may be, as far as the schema bounds it: whole numbers from one to another, or one of
 * some words.
 */
function rangeOf(schema: unknown): string {
  const { minValue, maxValue, options, def } = schema as {
    minValue?: unknown;
    maxValue?: unknown;
    options?: readonly unknown[];
    def?: { innerType?: unknown; in?: unknown; out?: unknown };
  };
  if (typeof minValue === 'number' && typeof maxValue === 'number') return `${minValue}–${maxValue}`;
  const words = options?.filter((option) => typeof option === 'string') ?? [];
  if (words.length > 0) return words.map((word) => `\`${word}\``).join(', ');
  return (
    [def?.innerType, def?.out, def?.in].map((inner) => (inner ? rangeOf(inner) : '')).find(Boolean) ?? ''
  );
}

/** Replaces what stands between `<!-- name -->` and `<!-- /name -->`. */
export function insertBetweenMarkers(text: string, name: string, content: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [start, end] = [text.indexOf(open), text.indexOf(close)];
  if (start < 0 || end < start) throw new Error(`there is no ${open} … ${close}`);
  return `${text.slice(0, start + open.length)}\n\n${content}\n\n${text.slice(end)}`;
}
