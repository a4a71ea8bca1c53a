// A value that changes, and components that follow it.

import { useSyncExternalStore } from 'react'

export type Store<Value> = {
  read(): Value
  write(value: Value): void
  /** Calls back after each change; returns how to stop. */
  follow(callback: () => void): () => void
}

export function newStore<Value>(first: Value): Store<Value> {
  let held = first
  const followers = new Set<() => void>()
  return {
    read: () => held,
    write(value) {
      held = value
      for (const callback of followers) callback()
    },
    follow(callback) {
      followers.add(callback)
      return () => followers.delete(callback)
    },
  }
}

export function useStore<Value>(store: Store<Value>): Value {
  return useSyncExternalStore(store.follow, store.read)
}
