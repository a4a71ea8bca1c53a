// A browser that is driven from outside as a person would: what each of the two ways to drive one has to give.

import type { Kind } from './find.ts'

/** A document: the page's own, or that of a frame. `null` is the page. */
export type Place = unknown

/** An element in a place. */
export type Handle = unknown

export type Driver = {
  open(address: string): Promise<void>
  /** Null where it is not there. */
  find(place: Place, kind: Kind, name: string): Promise<Handle | null>
  /** The document of a frame that was found. */
  enter(place: Place, frame: Handle): Promise<Place>
  click(place: Place, handle: Handle): Promise<void>
  /** In place of what is there. */
  type(place: Place, handle: Handle, text: string): Promise<void>
  /** What is read on the page, for the report of a fault. */
  read(): Promise<string>
  close(): Promise<void>
}

/** A browser that is not installed here. */
export class MissingError extends Error {}

export type Browser = {
  name: string
  /** What installs it on Debian. */
  install: string
  /** Throws MissingError. */
  start(): Promise<Driver>
}
