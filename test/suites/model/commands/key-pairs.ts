import { livePairs } from '../model';
import type { Principal } from '../principals';
import { type Command, expectOutcome } from './command';

/**
 * The operator issues another key pair for a principal. Two with the same scopes may be live; a
 * third is rejected.
 */
export function issue(principal: Principal): Command {
  return {
    title: `issue a pair for ${principal}`,
    send: (service) => service.issue(principal),
    judge(model, response) {
      if (livePairs(model, principal).length >= 2) return expectOutcome(response, 'refused');
      model.pairs.set(String(response.body['api_key']), { principal, state: 'live' });
      return expectOutcome(response, 'done');
    },
  };
}

/**
 * The operator revokes a key pair once.
 *
 * @param isHeldBack delays the notification to the service
 */
export function revoke(apiKey: string, isHeldBack = false): Command {
  return {
    title: `revoke …${apiKey.slice(-4)}${isHeldBack ? ', held back' : ''}`,
    send: (service) => service.revoke(apiKey, isHeldBack),
    judge(model, response) {
      const pair = model.pairs.get(apiKey);
      if (pair?.state !== 'live') return expectOutcome(response, 'refused');
      model.pairs.set(apiKey, { ...pair, state: 'settling' });
      return expectOutcome(response, 'done');
    },
  };
}
