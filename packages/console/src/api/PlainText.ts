/** Asking the API for a text as it stands, where that is no JSON. */
import { refusalOf, unreachable } from "./Refusal.ts"
import type { CallOptions } from "./Wire.ts"

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The answer of an address, whose body is not read yet. Throws a `Refusal`. */
export const askText = async (address: string, { signal }: CallOptions): Promise<Response> => {
  const response = await fetch(address, {
    credentials: "same-origin",
    headers: { accept: "text/plain, application/problem+json" },
    ...(signal === undefined ? {} : { signal })
  }).catch((thrown: unknown) => {
    throw signal?.aborted === true ? thrown : unreachable()
  })
  if (response.ok) return response
  throw refusalOf(response.status, parsed(await response.text()), response.headers.get("x-request-id"))
}
