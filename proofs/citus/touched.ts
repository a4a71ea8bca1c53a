// Which servers the statements of each request went to. In a cell nothing leads further: its schema has no table but the node's own.

import { openInProcess } from '../../bench/in-process.ts'
import { openClients } from '../../bench/load.ts'
import { steps, type Visit } from '../../bench/walk.ts'
import { cellOf, cellsOf } from '../../src/database/cells/cells.ts'
import { newDataFolder, removeData } from '../../tests/support/setup-database.ts'

export type Touched = {
  step: string
  /** How many of its statements went to each server; those to the simulated bank's own books are left out. */
  statements: Record<string, number>
}

const coordinator = 'coordinator'

/** Walks twice, and counts the second time, when what is kept in memory is there. */
export async function touchedBySteps(url: string): Promise<{ own: string; touched: Touched[] }> {
  const data_dir = newDataFolder()
  let counted: Record<string, number> = {}
  const service = await openInProcess({ url, data_dir }, (text, node) => {
    if (/\bsimulator\./.test(text)) return
    const server = node ?? coordinator
    counted[server] = (counted[server] ?? 0) + 1
  })
  try {
    const { demo, sql } = service
    const own = await cellOf(sql, demo.merchant_id)
    const { node } = cellsOf(sql).find((cell) => cell.sql === own)!
    const [client] = await openClients(demo.base_url, 1)
    let touched: Touched[] = []
    for (let walk = 0; walk < 2; walk += 1) {
      const visit: Visit = {}
      touched = []
      for (const { name, request, learns } of steps) {
        counted = {}
        const { status, body } = await client!.send(request(visit, demo))
        if (status >= 300) throw new Error(`${name} was answered ${status} ${body}`)
        const said = JSON.parse(body.toString()) as Record<string, string>
        for (const [known_as, member] of Object.entries(learns)) visit[known_as] = said[member]!
        touched.push({ step: name, statements: counted })
      }
    }
    client!.close()
    return { own: node!, touched }
  } finally {
    await service.close()
    removeData(data_dir)
  }
}
