// Loads the part that takes payments, three-ds.js, when the shopper begins to type.

import { button, element } from '../shared/element.ts'
import { isEmail } from '../shared/email.ts'
import type { countDown } from '../three-ds/countdown.ts'
import type { goOn, pay } from '../three-ds/pay.ts'
import type { resume } from '../three-ds/resume.ts'
import type { refresh, settle } from '../three-ds/settle.ts'
import type { understand } from '../three-ds/understand.ts'
import { RipperError } from './failure.ts'
import { amountOf, type MountedCheckout, readState, resultOf, text } from './mounted-checkout.ts'
import { nonce, origin } from './origin.ts'
import { sleep } from './sleep.ts'
import { addStyle } from './styles.ts'
import { readItem, saveItem } from './tab-storage.ts'

export type ThreeDsPart = {
  style: string
  pay: typeof pay
  goOn: typeof goOn
  resume: typeof resume
  refresh: typeof refresh
  settle: typeof settle
  countDown: typeof countDown
  understand: typeof understand
}

/** Functions that the part imports from here. scripts/build-web.mjs links it to them, so that the shopper does not load them twice. */
export const kit = {
  addStyle,
  amountOf,
  button,
  element,
  isEmail,
  saveItem,
  origin,
  readState,
  readItem,
  resultOf,
  sleep,
  text,
}

type Policy = { createScriptURL(url: string): string }

declare global {
  interface Window {
    RipperKit?: typeof kit
    RipperThreeDs?: ThreeDsPart
    trustedTypes?: { createPolicy(name: string, rules: Policy): Policy }
  }
}

let policy: Policy | undefined
let loading: Promise<ThreeDsPart> | undefined

/** Rejects if the part does not load. The next call tries again. */
export async function loadPart(checkout: MountedCheckout): Promise<ThreeDsPart> {
  loading ??= new Promise((resolve, reject) => {
    policy ??= window.trustedTypes?.createPolicy('ripper-checkout', {
      createScriptURL: (url) => url,
    })
    const { path, integrity } = THREE_DS_PART
    const url = origin + path
    const script = document.createElement('script')
    script.crossOrigin = 'anonymous'
    script.integrity = integrity
    script.nonce = nonce
    script.src = policy?.createScriptURL(url) ?? url
    script.onload = () => resolve(window.RipperThreeDs!)
    script.onerror = () => reject(new RipperError('part_not_loaded', `Could not load ${url}.`))
    window.RipperKit = kit
    document.head.append(script)
  })
  try {
    const part = await loading
    checkout.ui.wear(part.style)
    return part
  } catch (error) {
    loading = undefined
    throw error
  }
}
