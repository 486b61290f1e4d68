import { z } from 'zod';

declare module 'zod' {
  interface GlobalMeta {
    /** Whether the setting NAME can also come from the file that NAME_FILE names. */
    isSecret?: boolean;
    /** The value that production rejects, and the reason. */
    unsafe?: { value: unknown; because: string };
  }
}

/** Settings by name. Each schema reads the text of an environment variable. */
export type SettingShape = Readonly<Record<string, z.ZodType>>;

/** The values of settings. */
export type SettingValues<Shape extends SettingShape> = Readonly<z.output<z.ZodObject<Shape>>>;

/** Accepts only decimal digits, because Number() reads a blank as 0. */
export const wholeNumber = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(minimum).max(maximum));
export const integer = (byDefault: number, minimum: number, maximum: number) =>
  wholeNumber(minimum, maximum).default(byDefault);

/** "1:PEPPER,2:PEPPER": each pepper has at least 32 characters of base64, base64url or hex. */
export const versionedKeys = z.string().transform((text, context) => {
  const entries = text.split(',').map((entry) => /^\s*([1-9]\d{0,3}):([\w+/=-]{32,})\s*$/.exec(entry));
  const parsed = new Map<number, Buffer>();
  for (const entry of entries) {
    if (entry?.[1] && entry[2]) parsed.set(Number(entry[1]), Buffer.from(entry[2], 'utf8'));
  }
  if (parsed.size === entries.length) return parsed;
  context.addIssue(
    'must be VERSION:PEPPER, several separated by commas, each pepper at least 32 random characters',
  );
  return z.NEVER;
});

export const onOrOff = (byDefault: 'on' | 'off') =>
  z
    .enum(['on', 'off'])
    .default(byDefault)
    .transform((value) => value === 'on');

/** An optional setting that can also come from a file. */
export const secret = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  schema.optional().meta({ description, isSecret: true });
