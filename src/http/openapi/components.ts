import { isJsonObject, type JsonObject } from './json';

/** Names of the components that a part of a document refers to, such as `headers/Allow`. */
function referencesIn(part: unknown): string[] {
  return [...JSON.stringify(part).matchAll(/"#\/components\/([^"]+)"/g)].map(([, name = '']) => name);
}

/**
 * Returns the components to which the document refers, directly or through other components.
 *
 * @param kinds the components by kind and name
 * @param document the part of the document that refers to them
 */
export function usedComponents(kinds: Readonly<Record<string, JsonObject>>, document: unknown): JsonObject {
  const used = new Set<string>();
  const waiting = referencesIn(document);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (used.has(name)) continue;
    used.add(name);
    const [kind = '', key = ''] = name.split('/');
    const component = kinds[kind]?.[key];
    if (!isJsonObject(component)) throw new Error(`there is no component ${name}`);
    waiting.push(...referencesIn(component));
  }
  return Object.fromEntries(
    Object.entries(kinds).map(([kind, components]) => [
      kind,
      Object.fromEntries(Object.entries(components).filter(([key]) => used.has(`${kind}/${key}`))),
    ]),
  );
}
