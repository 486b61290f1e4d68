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

/**
 * The operator voids the active link as a mistake, or the only one. If several have ended, the
 * command needs a choice. A link that is voided already does not change.
 */
export const voidLinkOf = (bank: OwnersBank): Command => ({
  title: `void the link of ${named[bank]}`,
  send: (service) => service.voidLink('owner', bank),
  judge(model, response) {
    const places = model.links.flatMap((each, at) =>
      each.environment === 'owner' && each.bank === bank ? [at] : [],
    );
    const active = linkInForce(model, 'owner', bank);
    const place = active >= 0 ? active : places.length === 1 ? places[0]! : undefined;
    if (place === undefined) return expectOutcome(response, 'refused');
    model.links[place] = { ...model.links[place]!, isInForce: false, isVoided: true };
    return expectOutcome(response, 'done');
  },
});

export const link = linkWith('bank');
export const unlink = unlinkFrom('bank');
export const voidLink = voidLinkOf('bank');
export const linkCommands = { link, unlink, void: voidLink } as const;
