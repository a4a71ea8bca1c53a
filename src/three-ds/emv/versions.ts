// Protocol versions: which ones we support, and which one a card's authentication uses.

export const versions = ['2.1.0', '2.2.0'] as const
export type Version = (typeof versions)[number]

export function isVersion(value: unknown): value is Version {
  return versions.includes(value as Version)
}

/** Our highest version between two ends, both inclusive, or null if there is none. */
export function highestCommon(start: string, end: string): Version | null {
  return versions.findLast((ours) => compare(start, ours) <= 0 && compare(ours, end) <= 0) ?? null
}

export function lower(a: string, b: string): string {
  return compare(a, b) <= 0 ? a : b
}

export function higher(a: string, b: string): string {
  return compare(a, b) >= 0 ? a : b
}

function compare(a: string, b: string): number {
  const left = a.split('.').map(Number)
  const right = b.split('.').map(Number)
  for (const index of [0, 1, 2]) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
