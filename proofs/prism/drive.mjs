// Drives one vendor's fake by hyperswitch-prism, in a process of its own: the library may need another C library than this machine's.
// Arguments: the folder it is installed in, and a JSON text `{connector, config, cards}`. Prints what it read as JSON.

import { createRequire } from 'node:module'
import { join } from 'node:path'

const [folder, asked] = process.argv.slice(2)
const { PaymentClient, types } = createRequire(join(folder, 'package.json'))('hyperswitch-prism')
const { config, cards } = JSON.parse(asked)
const client = new PaymentClient({ connectorConfig: config })

const money = { minorAmount: 4200, currency: types.Currency.GBP }
const browserInfo = { userAgent: 'Mozilla/5.0', acceptHeader: '*/*', language: 'en', colorDepth: 24,
  screenHeight: 800, screenWidth: 1200, timeZoneOffsetMinutes: 0,
  javaEnabled: false, javaScriptEnabled: true, ipAddress: '192.0.2.1',
}
const shared = { testMode: true, browserInfo }

let minted = 0
const mint = () => `ripperprism${String(++minted).padStart(4, '0')}`

function authorize(number, captureMethod) {
  return client.authorize({ ...shared,
    merchantTransactionId: mint(), amount: money, captureMethod,
    paymentMethod: {
      card: { cardNumber: { value: number },
        cardExpMonth: { value: '12' }, cardExpYear: { value: '2030' },
        cardCvc: { value: '123' }, cardHolderName: { value: 'Ada' },
        cardNetwork: types.CardNetwork.VISA,
      },
    },
    address: { billingAddress: {} },
    authType: types.AuthenticationType.NO_THREE_DS,
    returnUrl: 'https://shop.example/back', orderDetails: [],
  })
}

async function held() {
  const answer = await authorize(cards.approved, types.CaptureMethod.MANUAL)
  return answer.connectorTransactionId
}

const capture = (id) =>
  client.capture({ ...shared,
    merchantCaptureId: mint(), connectorTransactionId: id, amountToCapture: money,
  })

const steps = {
  approved: () => authorize(cards.approved, types.CaptureMethod.MANUAL),
  captured: async () => capture(await held()),
  voided: async () =>
    client.void({ ...shared,
      merchantVoidId: mint(), connectorTransactionId: await held(), amount: money,
    }),
  refunded: async () => {
    const id = await held()
    await capture(id)
    return client.refund({ ...shared,
      merchantRefundId: mint(), connectorTransactionId: id, refundAmount: money,
      paymentAmount: money.minorAmount,
    })
  },
  ...Object.fromEntries(
    Object.entries(cards.declined).map(([name, number]) => [
      name,
      () => authorize(number, types.CaptureMethod.MANUAL),
    ]),
  ),
}

const read = {}
for (const [name, step] of Object.entries(steps)) read[name] = await outcomeOf(name, step)
process.stdout.write(`${JSON.stringify(read)}\n`)

async function outcomeOf(name, step) {
  try {
    const answer = await step()
    const statuses = name === 'refunded' ? types.RefundStatus : types.PaymentStatus
    const { status, connectorTransactionId, connectorRefundId, error } = answer
    return {
      status: statuses[status] ?? String(status),
      id: connectorRefundId ?? connectorTransactionId ?? null,
      code: error?.connectorDetails?.code ?? null,
    }
  } catch (error) {
    // It throws what a vendor refuses by its status.
    const { httpStatusCode, errorInfo } = error.proto ?? {}
    if (!errorInfo) return { status: `threw: ${error.message}`, id: null, code: null }
    const { issuerDetails, connectorDetails } = errorInfo
    const code = issuerDetails?.message ?? connectorDetails?.code ?? null
    return { status: `REFUSED_WITH_${httpStatusCode}`, id: null, code }
  }
}
