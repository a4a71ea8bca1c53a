// Where Debian's packages put what a Patroni cluster needs, and what is missing of it.

import { existsSync, readdirSync } from 'node:fs'

export type Programs = { patroni: string; etcd: string; haproxy: string; postgres_folder: string }

const server_root = '/usr/lib/postgresql'

/** The programs, or the names of the packages that lack. */
export function findPrograms(): { programs: Programs; missing: null } | { missing: string[] } {
  const packages = {
    patroni: ['/usr/bin/patroni'],
    'etcd-server': ['/usr/bin/etcd'],
    haproxy: ['/usr/sbin/haproxy'],
    postgresql: serverFolders(),
  }
  const found = Object.entries(packages).map(
    ([name, places]) => [name, places.find((place) => existsSync(place))] as const,
  )
  const missing = found.flatMap(([name, place]) => (place === undefined ? [name] : []))
  if (missing.length > 0) return { missing }
  const [patroni, etcd, haproxy, postgres_folder] = found.map(([, place]) => place!)
  return {
    missing: null,
    programs: { patroni: patroni!, etcd: etcd!, haproxy: haproxy!, postgres_folder: postgres_folder! },
  }
}

/** The folders of servers' programs, the newest release first. */
function serverFolders(): string[] {
  if (!existsSync(server_root)) return []
  const releases = readdirSync(server_root).sort((one, other) => Number(other) - Number(one))
  return releases.map((release) => `${server_root}/${release}/bin`)
}
