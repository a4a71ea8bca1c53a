// Whether a database has gone back, or may have: what it was seen to hold before, against what it holds now.

/** Which server holds the database. Null where the role may not read it, as in some managed services. */
export type Server = {
  /** Of the cluster, drawn when it was made; a copy of its files has the same. */
  system_identifier: string | null
  /** Goes up when a standby is promoted, or a backup was recovered. */
  timeline: number | null
}

/** Written every few seconds. */
export type Mark = { epoch: number; mark: string; written_at: Date } & Server

/** What a look at the database found. */
export type DatabaseObservation = {
  installation: string | null
  newest: Mark | null
  /** What it has under the number of the mark that is remembered; null where it has nothing. */
  at_remembered: string | null
  server: Server
}

/** Either way: a clock that was put back must not keep marks from being written. */
export function msBetween(one: Date, other: Date): number {
  return Math.abs(other.getTime() - one.getTime())
}

/** For so long marks are kept: a process that remembers an older one cannot tell by it. */
export const marks_kept_ms = 3 * 24 * 3_600_000

/**
 * Why commits were lost, or may have been, each in plain words; none where nothing speaks for it. A promoted standby may
 * have had all commits: nobody can know.
 */
export function signsOfLoss(
  sight: DatabaseObservation,
  remembered: Mark | null,
  installation: string,
): string[] {
  const { newest, at_remembered, server } = sight
  const before = [newest, remembered].filter((mark) => mark !== null)
  return [
    sight.installation !== installation && 'it has another mark than when this process started',
    before.some((mark) => differs(mark.system_identifier, server.system_identifier)) &&
      `it is on another cluster than before (system identifier ${server.system_identifier})`,
    before.some((mark) => isSameCluster(mark, server) && differs(mark.timeline, server.timeline)) &&
      `its timeline is ${server.timeline}, and was another: a standby was promoted, or a backup recovered`,
    remembered !== null &&
      (newest === null || newest.epoch < remembered.epoch) &&
      `its newest high-water mark is ${newest?.epoch ?? 'none'}, and was ${remembered.epoch} before`,
    remembered !== null &&
      at_remembered !== null &&
      at_remembered !== remembered.mark &&
      `its high-water mark ${remembered.epoch} is another than before`,
  ].filter((sign) => sign !== false)
}

function differs<Value>(before: Value | null, now: Value | null): boolean {
  return before !== null && now !== null && before !== now
}

/** On another one a timeline counts from its own beginning. */
function isSameCluster(before: Server, now: Server): boolean {
  return !differs(before.system_identifier, now.system_identifier)
}
