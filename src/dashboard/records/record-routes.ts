// Events at the dashboard: the public list behind the second door.

import { listEvents } from '../../payments/reading/list-events.ts'
import { signedIn } from '../../users/signed-in.ts'
import { behind } from '../behind.ts'
import { showEvents } from '../shoppers.ts'

const reading = signedIn('read_transactions')

export const listEventsHere = behind(reading, listEvents, showEvents)
