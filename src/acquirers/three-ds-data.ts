// What an acquirer is told of the 3-D Secure of a charge.

/** A result of 3-D Secure. */
export type ThreeDsData = {
  version: string
  eci: string | null
  authentication_value: string | null
  ds_transaction_id: string | null
  /** The final transStatus: that of the RReq after a challenge, else that of the ARes. */
  status: string
  /** The transStatus of the ARes; `C` if a challenge followed. */
  ares_status: string
}
