import { addLink, linkInForce } from '../model';
import { type Command, expectOutcome } from './command';

export type OwnersBank = 'bank' | 'second';

const named = { bank: 'the bank', second: 'the second bank' } as const;

/** The operator links the owner with a bank. An existing link does not change. */
export const linkWith = (bank: OwnersBank): Command => ({
  title: `link ${named[bank]}`,
  send: (service) => service.link('owner', bank),
  judge(model, response) {
    if (linkInForce(model, 'owner', bank) < 0) addLink(model, 'owner', bank);
    return expectOutcome(response, 'done');
  },
});

/** The operator ends a link; without one nothing happens. */
export const unlinkFrom = (bank: OwnersBank): Command => ({
  title: `unlink ${named[bank]}`,
  send: (service) => service.unlink('owner', bank),
  judge(model, response) {
    const place = linkInForce(model, 'owner', bank);
    if (place < 0) return expectOutcome(response, 'refused');
    model.links[place] = { ...model.links[place]!, isInForce: false };
    return expectOutcome(response, 'done');
  },
});

export const link = linkWith('bank');
export const unlink = unlinkFrom('bank');
