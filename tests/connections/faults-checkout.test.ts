// A fault at each step of each operation with checkout, through the whole service.

import { faultTable } from '../support/fault-table.ts'

await faultTable('checkout')
