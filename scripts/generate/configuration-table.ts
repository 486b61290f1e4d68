import { listSettings } from '../../src/contracts';

/** Renders all settings of the schema as a Markdown table. */
export function describeSettings(): string {
  const rows = Object.entries(listSettings().shape).map(([name, schema]) => {
    // zod stores the default on the schema or, for a pipe, on its input.
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

/** The range of an integer, or the allowed words; empty if the schema has neither. */
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

/** Replaces the text between `<!-- name -->` and `<!-- /name -->`. */
export function insertBetweenMarkers(text: string, name: string, content: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [start, end] = [text.indexOf(open), text.indexOf(close)];
  if (start < 0 || end < start) throw new Error(`the markers ${open} and ${close} are missing`);
  return `${text.slice(0, start + open.length)}\n\n${content}\n\n${text.slice(end)}`;
}
