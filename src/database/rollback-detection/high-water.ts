// Whether a database has gone back, or may have: compares what it held before with what it holds now.

/** Identifies the server that holds the database. A member is null if the role may not read it, as in some managed services. */
export type DatabaseServer = {
  /** The cluster's identifier, drawn at its creation. A copy of its files has the same one. */
  system_identifier: string | null
  /** Increases when a standby is promoted or a backup is recovered. */
  timeline: number | null
}

/** A mark is written every few seconds. */
export type Mark = { epoch: number; mark: string; written_at: Date } & DatabaseServer

/** With the database in which it was seen, where that was kept: a copy for a drill has another name, and the same marks up to then. */
export type RememberedMark = Mark & { database?: string | null }

/** The result of a look at the database. */
export type DatabaseObservation = {
  /** Its name. */
  database: string
  installation: string | null
  newest: Mark | null
  /** The mark that the database has under the remembered mark's number; null if it has none. */
  at_remembered: string | null
  server: DatabaseServer
}

/** The absolute difference, because a clock that was put back must not keep marks from being written. */
export function msBetween(one: Date, other: Date): number {
  return Math.abs(other.getTime() - one.getTime())
}

/** How long marks are kept. A process that remembers an older mark cannot conclude anything from it. */
export const marks_kept_ms = 3 * 24 * 3_600_000

/**
 * Why commits were lost, or may have been, each in plain words; empty if nothing suggests it. A promoted standby may
 * have had all commits, but nothing shows it.
 */
export function signsOfLoss(
  sight: DatabaseObservation,
  storedMark: RememberedMark | null,
  installation: string,
): string[] {
  const { newest, at_remembered, server } = sight
  const before = [newest, storedMark].filter((mark) => mark !== null)
  const signs = [
    sight.installation !== installation && 'it has another mark than when this process started',
    before.some((mark) => differs(mark.system_identifier, server.system_identifier)) &&
      `it is on another cluster than before (system identifier ${server.system_identifier})`,
    before.some((mark) => isSameCluster(mark, server) && differs(mark.timeline, server.timeline)) &&
      `its timeline is ${server.timeline}, and was another: a standby was promoted, or a backup recovered`,
    storedMark !== null &&
      (newest === null || newest.epoch < storedMark.epoch) &&
      `its newest high-water mark is ${newest?.epoch ?? 'none'}, and was ${storedMark.epoch} before`,
    storedMark !== null &&
      at_remembered !== null &&
      at_remembered !== storedMark.mark &&
      `its high-water mark ${storedMark.epoch} is another than before`,
  ].filter((sign) => sign !== false)
  const was_elsewhere = storedMark !== null && differs(storedMark.database ?? null, sight.database)
  if (signs.length === 0 || !was_elsewhere) return signs
  // It may have been restored under that other name, so the name alone excuses nothing.
  return [
    ...signs,
    `high-water.json in the data folder was written for the database ${storedMark.database}, and this one is ` +
      `${sight.database}: a drill with the same folder leaves such a file`,
  ]
}

function differs<Value>(before: Value | null, now: Value | null): boolean {
  return before !== null && now !== null && before !== now
}

/** Each cluster counts its timelines from its own beginning. */
function isSameCluster(before: DatabaseServer, now: DatabaseServer): boolean {
  return !differs(before.system_identifier, now.system_identifier)
}
