// The Chromium that tests and benchmarks drive: the one of RIPPER_TEST_CHROMIUM, or the one that came by npm.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'

const root = fileURLToPath(new URL('../..', import.meta.url))

export function chromiumPath(): string {
  return process.env.RIPPER_TEST_CHROMIUM ?? unpackedChromium()
}

/** Starts it with its web security on: what pages do is tested against that. */
export async function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none'],
    env: { ...process.env, ...chromiumEnvironment(executablePath) },
  })
}

/** Where it finds fonts and libraries that a small system lacks. Nothing for a Chromium that came otherwise. */
export function chromiumEnvironment(executablePath: string): Record<string, string> {
  const place = dirname(executablePath)
  const libraries = [`${place}/al2023/lib`, process.env.LD_LIBRARY_PATH].filter(Boolean).join(':')
  return {
    ...(existsSync(`${place}/fonts.conf`) && { FONTCONFIG_FILE: `${place}/fonts.conf` }),
    ...(existsSync(`${place}/al2023`) && { LD_LIBRARY_PATH: libraries }),
  }
}

/**
 * The Chromium that came by npm, unpacked once. Its package would unpack into the folder of temporary files and take
 * whatever stands there, half unpacked or of another version; so it is given a folder of its own, and that is moved.
 */
function unpackedChromium(): string {
  const folder = `${root}node_modules/@sparticuz/chromium`
  const { version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as {
    version: string
  }
  const place = `${root}node_modules/.cache/chromium-${version}-with-libraries`
  if (existsSync(`${place}/chromium`)) return `${place}/chromium`
  // What was left of one that was deleted while a browser still wrote to it.
  rmSync(place, { recursive: true, force: true })
  const draft = `${place}.${process.pid}`
  mkdirSync(draft, { recursive: true })
  // It leaves out the libraries wherever it does not know the system for a small one.
  const unpack = `import chromium, { inflate } from '@sparticuz/chromium'
    await Promise.all([chromium.executablePath(), inflate(process.argv[1])])`
  const unpacking = ['--input-type=module', '-e', unpack, `${folder}/bin/al2023.tar.br`]
  const { status } = spawnSync(process.execPath, unpacking, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, TMPDIR: draft },
  })
  if (status !== 0) throw new Error('Chromium could not be unpacked; the reason is above.')
  writeFileSync(`${draft}/fonts.conf`, fontsOf(place))
  try {
    renameSync(draft, place)
  } catch {
    // Another run was faster.
    rmSync(draft, { recursive: true, force: true })
  }
  return `${place}/chromium`
}

/** The package's own settings look for its fonts in the folder of temporary files; without a font Chromium ends. */
function fontsOf(place: string): string {
  return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir>${place}/fonts</dir><dir>/usr/share/fonts</dir><cachedir>${place}/fonts-cache</cachedir></fontconfig>
`
}
