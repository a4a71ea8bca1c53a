// What is under way, kept for as long as it is: thousands come and go in a second, and few are there at once.
//
// A Map or a Set would make a new table now and then, and each old one refers to the next. Once the first is in the old heap, collections
// of the young one keep all of them, with whatever was in them.

export type Places<Held> = {
  /** Returns what ends it; a second call does nothing. */
  take(held: Held): () => void
  /** In no order. */
  taken(): Held[]
  count(): number
}

export function openPlaces<Held>(): Places<Held> {
  const places: (Held | null)[] = []
  const free: number[] = []
  return {
    take(held) {
      const at = free.pop() ?? places.length
      places[at] = held
      let is_left = false
      return () => {
        if (is_left) return
        is_left = true
        places[at] = null
        free.push(at)
      }
    },
    taken: () => places.filter((held) => held !== null),
    count: () => places.length - free.length,
  }
}
