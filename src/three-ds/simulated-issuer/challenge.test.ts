import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { areqFor, openPeer, type Peer, posted } from '../../../tests/adapters/three-ds-peer.ts'
import { decode, encode } from '../emv/base64url.ts'

const id = 'e8db9820-63b7-43ce-8831-36ce81a2e313'
const another_id = 'a8db9820-63b7-43ce-8831-36ce81a2e313'

let peer: Peer
beforeEach(() => {
  peer = openPeer()
})
afterEach(() => peer.simulator.close())

describe('the challenge', () => {
  test('the code page can be used without seeing or script', async () => {
    const { creq } = await peer.challenge('72')
    const html = await peer.post('/acs/challenge', creq.toString())
    expect(html).toContain('<label for="code">One-time code</label>')
    expect(html).toContain('id="code"')
    expect(html).toContain('aria-describedby="hint"')
    expect(html).toMatch(/<button[^>]*>Submit<\/button>/)
    expect(html).toMatch(/<button[^>]*>Cancel<\/button>/)
    expect(html).toContain('the code is 1234')
    expect(html).not.toContain('<script')
  })

  test('session data comes back as it was sent', async () => {
    const { creq } = await peer.challenge('70')
    creq.set('threeDSSessionData', 'our-own_data')
    const html = await peer.post('/acs/challenge', creq.toString())
    expect(html).toContain('name="threeDSSessionData" value="our-own_data"')
    expect(posted(html, 'cres')).toMatchObject({ messageType: 'CRes', transStatus: 'Y' })
  })

  test('a CRes that lies', async () => {
    const { creq } = await peer.challenge('75')
    const html = await peer.post('/acs/challenge', creq.toString())
    expect(posted(html, 'cres')).toMatchObject({ transStatus: 'Y' })
    expect(JSON.parse(peer.rreqs[0]!.body)).toMatchObject({ transStatus: 'N' })
  })

  test('it leads back to nobody else', async () => {
    const ares = await peer.ds({ ...areqFor('70'), notificationURL: 'https://evil.example/3ds/x' })
    const creq = { messageType: 'CReq', messageVersion: '2.2.0', challengeWindowSize: '05' }
    const ids = { threeDSServerTransID: ares.threeDSServerTransID, acsTransID: ares.acsTransID }
    const form = new URLSearchParams({ creq: encode(JSON.stringify({ ...creq, ...ids })) })
    const answer = await peer.ask('/acs/challenge', form.toString())
    expect(answer.status).toBe(400)
    expect(answer.body).not.toContain('evil')
  })

  test('session data of more than 1024 characters is not kept', async () => {
    const { creq } = await peer.challenge('72')
    creq.set('threeDSSessionData', 'x'.repeat(1025))
    expect((await peer.ask('/acs/challenge', creq.toString())).status).toBe(400)
    creq.set('threeDSSessionData', 'x'.repeat(1024))
    expect((await peer.ask('/acs/challenge', creq.toString())).status).toBe(200)
  })

  const faults: [string, object, string][] = [
    ['another transaction', { threeDSServerTransID: another_id }, '301'],
    ['another version', { messageVersion: '2.1.0' }, '203'],
    ['an unknown window', { challengeWindowSize: '09' }, '203'],
    ['a missing field', { challengeWindowSize: undefined }, '201'],
  ]
  test.each(faults)('%s goes back as an Erro', async (_, changes, code) => {
    const { creq } = await peer.challenge('70')
    const message = { ...JSON.parse(decode(creq.get('creq')!)!), ...changes }
    const form = new URLSearchParams({ creq: encode(JSON.stringify(message)) })
    const html = await peer.post('/acs/challenge', form.toString())
    const back = posted(html, 'erro')
    expect(back).toMatchObject({ errorCode: code, errorComponent: 'A', errorMessageType: 'CReq' })
    expect(peer.rreqs).toHaveLength(0)
  })

  test.each([
    ['no creq', ''],
    ['nonsense', 'creq=%3C%3E'],
    ['an unknown challenge', `creq=${encode('{"messageType":"CReq"}')}`],
  ])('%s is a page without a way on', async (_, body) => {
    const answer = await peer.ask('/acs/challenge', body)
    expect(answer.status).toBe(400)
    expect(answer.body).not.toContain('<form')
  })

  test('a code before the page was opened is refused', async () => {
    const { ares } = await peer.challenge('72')
    const answer = await peer.ask(`/acs/challenge/${ares.acsTransID}`, 'code=1234')
    expect(answer.status).toBe(400)
    expect(peer.rreqs).toHaveLength(0)
  })

  test('the result counts the codes that were typed', async () => {
    const { ares, creq } = await peer.challenge('72')
    await peer.post('/acs/challenge', creq.toString())
    await peer.post(`/acs/challenge/${ares.acsTransID}`, 'code=1&action=submit')
    await peer.post(`/acs/challenge/${ares.acsTransID}`, 'code=1234&action=submit')
    expect(JSON.parse(peer.rreqs[0]!.body)).toMatchObject({ interactionCounter: '02' })
  })

  test('each page has ten minutes of its own', async () => {
    const { ares, creq } = await peer.challenge('72')
    await peer.post('/acs/challenge', creq.toString())
    await peer.world.clock.advance(500_000)
    await peer.post(`/acs/challenge/${ares.acsTransID}`, 'code=1&action=submit')
    await peer.world.clock.advance(599_999)
    expect(peer.rreqs).toHaveLength(0)
    await peer.world.clock.advance(1)
    expect(JSON.parse(peer.rreqs[0]!.body)).toMatchObject({ challengeCancel: '04' })
  })

  test('a result that reached nobody is sent again', async () => {
    peer.results_page.up = false
    const { creq } = await peer.challenge('70')
    expect(posted(await peer.post('/acs/challenge', creq.toString()), 'cres')).toBeDefined()
    expect(peer.rreqs).toHaveLength(1)
    peer.results_page.up = true
    await peer.world.clock.advance(10_000)
    expect(peer.rreqs).toHaveLength(2)
    await peer.world.clock.advance(600_000)
    expect(peer.rreqs).toHaveLength(2)
  })

  test('and given up at last', async () => {
    peer.results_page.up = false
    const { creq } = await peer.challenge('70')
    await peer.post('/acs/challenge', creq.toString())
    await peer.world.clock.advance(600_000)
    expect(peer.rreqs).toHaveLength(5)
  })

  test('a challenge is forgotten after an hour', async () => {
    const { creq } = await peer.challenge('70')
    await peer.post('/acs/challenge', creq.toString())
    await peer.world.clock.advance(3_600_000)
    expect((await peer.ask('/acs/challenge', creq.toString())).status).toBe(400)
  })

  describe('what a process that is gone had waited for', () => {
    const dueTimes = () => [...peer.challenges.kept.values()].map(({ due_at }) => due_at)

    test('ends when another looks', async () => {
      await peer.challenge('73')
      peer.simulator.close()
      const other = openPeer(peer)
      await peer.world.clock.advance(35_000)
      expect(await other.simulator.endDue()).toBe(0)
      await peer.world.clock.advance(1)
      expect(await other.simulator.endDue()).toBe(1)
      expect(JSON.parse(other.rreqs[0]!.body)).toMatchObject({ challengeCancel: '04' })
      expect([await other.simulator.endDue(), dueTimes()]).toEqual([0, [null]])
    })

    test('is sent by another when it has ended already', async () => {
      peer.results_page.up = false
      const { creq } = await peer.challenge('70')
      await peer.post('/acs/challenge', creq.toString())
      peer.simulator.close()
      const other = openPeer(peer)
      await peer.world.clock.advance(25_001)
      await other.simulator.endDue()
      expect(other.rreqs).toHaveLength(1)
      expect(dueTimes()).toEqual([null])
    })
  })

  test('of two processes that are asked at once, one ends it', async () => {
    const { ares, creq } = await peer.challenge('72')
    await peer.post('/acs/challenge', creq.toString())
    const other = openPeer(peer)
    const answer = (code: string) => `code=${code}&action=submit`
    const posts = Promise.all([
      peer.post(`/acs/challenge/${ares.acsTransID}`, answer('1234')),
      other.post(`/acs/challenge/${ares.acsTransID}`, answer('1234')),
      other.post(`/acs/challenge/${ares.acsTransID}`, 'action=cancel'),
    ])
    // The other process looks until the result has arrived.
    await peer.world.clock.advance(250)
    for (const html of await posts) expect(posted(html, 'cres')).toMatchObject({ transStatus: 'Y' })
    expect([...peer.rreqs, ...other.rreqs]).toHaveLength(1)
  })

  test('closing ends every wait', async () => {
    await peer.challenge('73')
    peer.simulator.close()
    await peer.world.clock.advance(600_000)
    expect(peer.rreqs).toHaveLength(0)
  })
})

describe('the method page', () => {
  const data = (notification: string) =>
    new URLSearchParams({
      threeDSMethodData: encode(
        JSON.stringify({
          threeDSServerTransID: id,
          threeDSMethodNotificationURL: notification,
        }),
      ),
    }).toString()

  test('it reports back', async () => {
    const html = await peer.post('/acs/method', data('https://pay.example/3ds/back'))
    expect(html).toContain('action="https://pay.example/3ds/back"')
    expect(posted(html, 'threeDSMethodData')).toEqual({
      threeDSServerTransID: id,
    })
  })

  test('the silent one does not', async () => {
    const html = await peer.post('/acs/method/silent', data('https://pay.example/3ds/back'))
    expect(html).not.toContain('<form')
  })

  test.each([
    'javascript:alert(1)',
    'x',
    'https://evil.example/3ds/back',
    'https://pay.example.evil.example/3ds/back',
    'https://pay.example@evil.example/3ds/back',
    'https://pay.example/3ds/../v1/payments',
    'https://pay.example/3ds/method/../x/done',
    'https://pay.example/3ds/method/./x/done',
    'https://pay.example/3ds/method//x/done',
    'https://pay.example/3ds/method/x/done\n',
    'https://pay.example/3ds/method/x/done?y',
    ' https://pay.example/3ds/method/x/done',
    'https://pay.example/3ds/%2e%2e/v1/payments',
    'https://pay.example/',
    'http://pay.example/3ds/back',
  ])('it reports nothing to %s', async (address) => {
    const answer = await peer.ask('/acs/method', data(address))
    expect(answer.status).toBe(400)
    expect(answer.body).not.toContain('<form')
  })
})
