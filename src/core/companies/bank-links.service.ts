import { OperatorError } from '../../shared/operator-error';
import type { EnvironmentKind } from '../../shared/scopes';
import type { BankLinksLookupStore, CompanyLink, MistakenCompletion } from './bank-links-lookup.store';
import type { BankLink, BankLinksStore } from './bank-links.store';
import type { CompaniesService } from './companies.service';
import type { Company } from './companies.store';

/** The two companies of a link, as an operator names them. */
export interface NamedLink {
  kind: EnvironmentKind;
  company: string;
  bank: string;
}

export interface LinkPreview {
  /** When the bank was linked, if it is linked now. */
  linkedAt: Date | undefined;
  /** The pending contributions, which the bank will see. */
  pending: number;
  /** The other banks that are linked now. */
  otherBanks: string[];
  /** The companies whose bank the company itself is: a sign that the two were swapped. */
  companiesOfCompany: string[];
  /** Whether the bank has a live pair that can complete, or is linked already. */
  canComplete: boolean;
}

export interface EndPreview extends Pick<LinkPreview, 'pending' | 'otherBanks'> {
  link: BankLink;
  /** The pending contributions that the bank may still complete. */
  kept: number;
}

export interface VoidPreview extends EndPreview {
  /** What the bank completed, and no other link of it explains. */
  completed: MistakenCompletion[];
}

const describe = ({ linkedAt, unlinkedAt, voidedAt }: BankLink): string =>
  `--linked-at ${linkedAt.toISOString()} (${voidedAt ? 'voided' : unlinkedAt ? `ended ${unlinkedAt.toISOString()}` : 'active'})`;

/**
 * The links that start then. Tables print times without milliseconds, so one second may be meant.
 */
function startingAt(given: Date, links: BankLink[]): BankLink[] {
  const exact = links.filter(({ linkedAt }) => linkedAt.getTime() === given.getTime());
  if (exact.length > 0) return exact;
  return links.filter(({ linkedAt }) => new Date(linkedAt).setMilliseconds(0) === given.getTime());
}

/**
 * The link that an operator means. A repeat never chooses another one, because a link that was
 * voided stays one of several.
 */
function choose(links: BankLink[], linkedAt: Date | undefined, { kind, company, bank }: NamedLink): BankLink {
  const active = links.filter(({ unlinkedAt }) => unlinkedAt === null);
  const found = linkedAt ? startingAt(linkedAt, links) : active.length > 0 ? active : links;
  const [first, second] = found;
  if (first && !second) return first;
  throw new OperatorError(
    `Say which link of "${bank}" to "${company}" (${kind}) was the mistake:\n${links.map((link) => `  ${describe(link)}`).join('\n')}`,
  );
}

/**
 * A bank has no contributions and no banks of its own. If it has pairs, one of them can complete.
 *
 * @returns whether it has a pair that can complete
 */
async function requireBank(
  lookup: BankLinksLookupStore,
  kind: EnvironmentKind,
  { name, environments }: Company,
  alsoCreates: boolean,
): Promise<boolean> {
  const id = environments[kind];
  const refuse = (reason: string, advice: string): never => {
    throw new OperatorError(
      `"${name}" cannot act as a bank in ${kind}: ${reason}. If you swapped the two companies, name the bank last. ${advice}`,
    );
  };
  if (!alsoCreates) {
    const isBoth = `If "${name}" is both, add --bank-also-creates.`;
    const banks = await lookup.banksOf(id);
    if (await lookup.hasContributions(id)) refuse('it has contributions of its own', isBoth);
    if (banks.length > 0) refuse(`its own bank is "${banks.join('", "')}"`, isBoth);
  }
  const pairs = await lookup.livePairs(id);
  if (pairs.all > 0 && pairs.completing === 0)
    refuse(
      'none of its live key pairs has the scope contributions:complete',
      'Otherwise, issue a pair for it with: keys issue … --for bank',
    );
  return pairs.completing > 0;
}

/** Looks for a link in the other direction: the usual mistake is to swap the two. */
async function notLinked(
  links: Pick<BankLinksStore, 'between'>,
  { kind, company, bank }: NamedLink,
  sides: { company: Company; bank: Company },
): Promise<OperatorError> {
  const swapped = await links.between(kind, sides.bank, sides.company);
  const hint = swapped.some(({ unlinkedAt }) => unlinkedAt === null)
    ? ` But "${company}" is linked as the bank of "${bank}". To end that link, name "${bank}" first.`
    : '';
  return new OperatorError(`"${bank}" is not linked to "${company}" for ${kind}.${hint}`);
}

/** What link changes do, and links that were a mistake. */
export function createBankLinksService(
  companies: Pick<CompaniesService, 'find'>,
  links: Pick<BankLinksStore, 'hold' | 'between' | 'voidLink'>,
  lookup: BankLinksLookupStore,
) {
  async function sidesOf({ kind, company: name, bank: bankName }: NamedLink) {
    const [company, bank] = [await companies.find(name), await companies.find(bankName)];
    return { company, bank, id: company.environments[kind], bankId: bank.environments[kind] };
  }

  const othersOf = async (id: number, bank: Company) =>
    (await lookup.banksOf(id)).filter((name) => name !== bank.name);

  async function chosen(named: NamedLink, linkedAt: Date | undefined) {
    const sides = await sidesOf(named);
    const all = await links.between(named.kind, sides.company, sides.bank);
    if (all.length === 0) throw await notLinked(links, named, sides);
    return { ...sides, link: choose(all, linkedAt, named) };
  }

  return {
    /**
     * @param alsoCreates whether the bank may have contributions or banks of its own
     * @throws OperatorError if one of the two is unknown, or the second one cannot act as a bank
     */
    async previewLink(named: NamedLink, alsoCreates: boolean): Promise<LinkPreview> {
      const { company, bank, id } = await sidesOf(named);
      if (company.companyId === bank.companyId)
        throw new OperatorError(
          'A company cannot be linked to itself. Without a link, it completes its own contributions.',
        );
      const all = await links.between(named.kind, company, bank);
      const linkedAt = all.find(({ unlinkedAt }) => unlinkedAt === null)?.linkedAt;
      return {
        linkedAt,
        canComplete: linkedAt !== undefined || (await requireBank(lookup, named.kind, bank, alsoCreates)),
        pending: await lookup.countPending(id),
        otherBanks: await othersOf(id, bank),
        companiesOfCompany: await lookup.companiesOf(id),
      };
    },

    /** @throws OperatorError if one of the two is unknown, or they are not linked */
    async previewUnlink(named: NamedLink): Promise<EndPreview> {
      const { company, bank, id, bankId } = await sidesOf(named);
      const all = await links.between(named.kind, company, bank);
      const link = all.find(({ unlinkedAt }) => unlinkedAt === null);
      if (!link) throw await notLinked(links, named, { company, bank });
      return {
        link,
        pending: await lookup.countPending(id),
        kept: await lookup.countKept(id, bankId, link.key, false),
        otherBanks: await othersOf(id, bank),
      };
    },

    /**
     * @param linkedAt the start of the link; undefined for the active one, or the only one
     * @throws OperatorError if one of the two is unknown, or no link or several ones match
     */
    async previewVoid(named: NamedLink, linkedAt: Date | undefined): Promise<VoidPreview> {
      const { bank, id, bankId, link } = await chosen(named, linkedAt);
      return {
        link,
        pending: await lookup.countPending(id),
        kept: await lookup.countKept(id, bankId, link.key, true),
        otherBanks: await othersOf(id, bank),
        completed: await lookup.mistakenCompletions(id, bankId, link.key),
      };
    },

    /**
     * Voids a link, with the parameters and errors of `previewVoid`.
     *
     * @returns the link, and whether this call voided it
     */
    async void(named: NamedLink, linkedAt: Date | undefined) {
      await links.hold();
      const { company, bank, link } = await chosen(named, linkedAt);
      const voided = await links.voidLink(named.kind, company, bank, link);
      return { link: voided ?? link, isChanged: voided !== undefined };
    },

    /** @param voided a link that was voided */
    async mistakenCompletions(named: NamedLink, { key }: BankLink): Promise<MistakenCompletion[]> {
      const { id, bankId } = await sidesOf(named);
      return lookup.mistakenCompletions(id, bankId, key);
    },

    waitForWriters: () => lookup.waitForWriters(),
    ofCompany: (companyId: string): Promise<CompanyLink[]> => lookup.ofCompany(companyId),
  };
}
