import type { Random } from '../faults/random';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The check character as in bank.md (ISO 7064, MOD 37,36). */
function checkCharacter(text: string): string {
  let product = 36;
  for (const character of text) product = (((product + alphabet.indexOf(character)) % 36 || 36) * 2) % 37;
  return alphabet.charAt((37 - product) % 36);
}

/**
 * A well-formed id that was never issued, so the service must look it up.
 *
 * @param like an id of the same environment
 */
export function neverIssuedId(random: Random, like: string | undefined): string {
  for (;;) {
    const tail = Array.from({ length: 10 }, () => crockford.charAt(random.integer(0, 31))).join('');
    const text = (like?.slice(0, 4) ?? 'ZZZZ') + tail;
    const check = checkCharacter(text);
    if (crockford.includes(check)) return text + check;
  }
}
