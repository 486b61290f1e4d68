/** A gauge whose value comes from the database. */
interface ReadGauge {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
}

/** The value of a gauge, for one combination of its labels. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Gauges of the whole installation that one query reads. */
export interface Reading {
  readonly gauges: readonly ReadGauge[];
  /**
   * Whether it reads only data of the installation. It is then read first, because a part of the
   * tenants' data can be unavailable.
   */
  readonly isOfInstallation?: boolean;
  /** @returns the samples of each gauge, in their order */
  readonly read: () => Promise<readonly (readonly Sample[])[]>;
}

/** A reading of one gauge without labels. */
export const readNumber = (
  name: string,
  help: string,
  read: () => Promise<number>,
  options: Pick<Reading, 'isOfInstallation'> = {},
): Reading => ({
  ...options,
  gauges: [{ name, help }],
  read: async () => [[{ value: await read() }]],
});
