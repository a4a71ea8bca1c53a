// three-ds.js: everything that a payment needs once the card is known. checkout.js loads it when the shopper begins to type.

import type { ThreeDsPart } from '../checkout/part.ts'
import { countDown } from './countdown.ts'
import { goOn, pay } from './pay.ts'
import { resume } from './resume.ts'
import { refresh, settle } from './settle.ts'
import style from './style.css?inline'
import { understand } from './understand.ts'

const part: ThreeDsPart = {
  style,
  pay,
  goOn,
  resume,
  refresh,
  settle,
  understand,
  countDown,
}
window.RipperThreeDs = part
