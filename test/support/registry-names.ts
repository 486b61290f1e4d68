/** Programs that look a package's name up in a registry, with the words that make them do so. */
const resolvers =
  /(?:\b(?:npx|bunx|pnpx)|\b(?:npm|pnpm|yarn|bun|pip3?)\s+(?:install|i|add|exec|x|dlx|create|init|update|view|info))(?=\s)([^\n`|;&]*)/g;

/** Our packages, in any scope and version. A path or a file is none. */
const ownName =
  /^["'(]*(?:@contribution[\w-]*\/[\w-]+|(?:@[\w-]+\/)?contribution-service(?:-[a-z]+)*)(?:@[^\s/]+)?["').,:]*$/;

/** Addresses of the registries' files, and specifiers that Deno resolves. */
const address =
  /(?:\b(?:npm|jsr):|esm\.sh\/|unpkg\.com\/|skypack\.dev\/|\/npm\/)(?:@[\w-]+\/)?contribution[\w-]*/g;

/** The commands and addresses in a text that let a registry resolve a name of this project. */
export function namesFromRegistry(text: string): string[] {
  const commands = [...text.matchAll(resolvers)]
    .filter(([, rest = '']) => rest.split(/\s+/).some((word) => ownName.test(word)))
    .map(([command]) => command.trim());
  return [...commands, ...(text.match(address) ?? [])];
}
