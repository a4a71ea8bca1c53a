// A fault at each step of each operation with stripe, through the whole service.

import { faultTable } from '../support/fault-table.ts'

await faultTable('stripe')
