// Disks of a proof's own: a small image with a file system, or one in memory, mounted for as long as some work takes.

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { removeFolder } from '../../src/config/owner.ts'

/** Why this machine cannot do it, or null. */
export function reasonNotTo(): string | null {
  if (process.platform !== 'linux') return 'only Linux has loop devices'
  if (process.getuid?.() !== 0) return 'only root may mount'
  try {
    withDraft((folder) => {
      makeImage(`${folder}/image`, 16)
      mount(`${folder}/image`, `${folder}/disk`)
      unmount(`${folder}/disk`)
    })
    return null
  } catch (error) {
    return `no image can be mounted: ${(error as Error).message.split('\n')[0]}`
  }
}

/** An empty file system in a file, which takes no space before it is used. */
export function makeImage(path: string, megabytes: number): void {
  run('truncate', ['-s', `${megabytes}M`, path])
  run('mkfs.ext4', ['-q', '-F', '-m', '0', path])
}

/** Mounts an image where everybody may come through. */
export function mount(image: string, at: string): void {
  mkdirSync(at, { recursive: true })
  run('mount', ['-o', 'loop', image, at])
  chmodSync(at, 0o755)
}

/** Mounts a disk in memory that holds so much. */
export function mountMemory(at: string, megabytes: number): void {
  mkdirSync(at, { recursive: true })
  run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', at])
}

/** Does nothing where nothing is mounted. */
export function unmount(at: string): void {
  try {
    run('umount', [at])
  } catch {
    // Somebody is still in it: it goes when they do.
    try {
      run('umount', ['-l', at])
    } catch {
      // It was not mounted.
    }
  }
}

/** The image as a power cut would leave it: what the file system has not handed over to its disk is not in it. */
export function snapshot(image: string, copy: string): void {
  run('cp', ['--sparse=always', image, copy])
}

/** A folder that is gone afterwards, with a place `disk` to mount at. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = openFolder()
  try {
    return await work(folder)
  } finally {
    unmount(`${folder}/disk`)
    removeFolder(folder)
  }
}

function withDraft(work: (folder: string) => void): void {
  const folder = openFolder()
  try {
    work(folder)
  } finally {
    unmount(`${folder}/disk`)
    removeFolder(folder)
  }
}

function openFolder(): string {
  const folder = mkdtempSync(`${tmpdir()}/ripper-power-`)
  // The server's user has to come through.
  chmodSync(folder, 0o711)
  return folder
}

function run(command: string, args: string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
}
