// Before all tests: the pages are built where they are not, and there is a browser to open them in.

import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { buildWeb, isWebBuilt } from '../../scripts/build-web.mjs'
import { chromiumPath } from './chromium.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The Chromium to start. */
    chromium: string
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url))

export async function setup(project: TestProject): Promise<void> {
  if (!isWebBuilt(root)) await buildWeb(root)
  project.provide('chromium', chromiumPath())
}
