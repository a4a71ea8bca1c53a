// Numbers for 3dsecure.io's sandbox. The vendor publishes how the last four digits behave (docs.3dsecure.io, "Sandbox Testcases",
// 2026-05-12); the others are those of its Visa example, but for two that make the Luhn check hold.

export const threeDsecureIoSandboxNumbers: readonly string[] = [
  // Authenticated: 2.2.0, 2.1.0 without a 3DS Method, one whose 3DS Method is silent.
  ...['4000100511132003', '4000100511141103', '4000100511150203'],
  // N, A, R, I, U, and a Directory Server that is silent.
  ...['4000100511112013', '4000100511192023', '4000100511172033'],
  ...['4000100511152043', '4000100511122053', '4000100511102063'],
  // A challenge that is passed, that is failed, and that is answered by hand.
  ...['4000100511112070', '4000100511102071', '4000100511192072'],
]
