// What etcd, the two Patroni nodes and HAProxy are told: the defaults of each, but for addresses and folders.

export type Node = { name: string; api_port: number; server_port: number; folder: string }

export type Cluster = {
  nodes: Node[]
  etcd_port: number
  etcd_peer_port: number
  haproxy_port: number
  /** Of the servers' programs. */
  postgres_folder: string
  is_synchronous: boolean
}

const host = '127.0.0.1'

/** JSON, which is YAML, too. */
export function patroniFile(
  { name, api_port, server_port, folder }: Node,
  { etcd_port, postgres_folder, is_synchronous }: Cluster,
): string {
  const pg_hba = ['local all all trust', `host all all ${host}/32 trust`]
  const told = {
    scope: 'ripper',
    name,
    restapi: { listen: `${host}:${api_port}`, connect_address: `${host}:${api_port}` },
    etcd3: { hosts: `${host}:${etcd_port}` },
    bootstrap: {
      dcs: {
        ttl: 30,
        loop_wait: 10,
        retry_timeout: 10,
        synchronous_mode: is_synchronous,
        postgresql: { use_pg_rewind: false },
      },
      initdb: [{ encoding: 'UTF8' }, 'data-checksums'],
    },
    postgresql: {
      listen: `${host}:${server_port}`,
      connect_address: `${host}:${server_port}`,
      data_dir: `${folder}/data`,
      bin_dir: postgres_folder,
      pgpass: `${folder}/pgpass`,
      // Otherwise the copy of the first server begins with a checkpoint that takes its time: minutes where a database was just made.
      basebackup: [{ checkpoint: 'fast' }],
      pg_hba: [...pg_hba, `host replication all ${host}/32 trust`],
      authentication: {
        superuser: { username: 'postgres', password: 'none' },
        replication: { username: 'replicator', password: 'none' },
      },
      parameters: { unix_socket_directories: folder },
    },
  }
  return JSON.stringify(told, null, 2)
}

export function haproxyFile({ nodes, haproxy_port }: Cluster): string {
  return `
global
  maxconn 500
defaults
  mode tcp
  timeout connect 2s
  timeout check 2s
  timeout client 30m
  timeout server 30m
listen primary
  bind ${host}:${haproxy_port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map((node) => `  server ${node.name} ${host}:${node.server_port} check port ${node.api_port}\n`).join('')}`
}

export function etcdArguments({ etcd_port, etcd_peer_port }: Cluster, folder: string): string[] {
  const [client, peer] = [etcd_port, etcd_peer_port].map((port) => `http://${host}:${port}`)
  return [
    ...['--name', 'etcd', '--data-dir', `${folder}/etcd`],
    ...['--listen-client-urls', client!, '--advertise-client-urls', client!],
    ...['--listen-peer-urls', peer!, '--initial-advertise-peer-urls', peer!],
    ...['--initial-cluster', `etcd=${peer}`],
  ]
}
