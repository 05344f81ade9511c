/** JSON over HTTP with a bearer token, for both sides. */

/** Nothing is wrong with what was asked: it can be done later. Pawl is answered 503, and sends its message again. */
export class Later extends Error {}

export interface Answer {
  readonly status: number
  readonly body: unknown
}

export interface JsonClient {
  /** Answers 2xx, and each status that is named. Anything else, or no answer, is `Later`. */
  readonly ask: (
    method: "GET" | "POST",
    path: string,
    options: { readonly signal: AbortSignal; readonly body?: unknown; readonly also?: ReadonlyArray<number> }
  ) => Promise<Answer>
}

/** When whoever limits us wants to be asked again, in words; empty where it does not say. */
const whenAgain = (headers: Headers): string => {
  const after = headers.get("retry-after")
  if (after !== null) return `, again after ${after} s`
  const reset = Number(headers.get("x-ratelimit-reset") ?? "")
  return headers.get("x-ratelimit-remaining") === "0" && reset > 0
    ? `, again at ${new Date(reset * 1000).toISOString()}`
    : ""
}

const parsed = (text: string): unknown => {
  try {
    return text === "" ? null : JSON.parse(text)
  } catch {
    return null
  }
}

/** `name` is what messages call it; they never hold what was sent. */
export const jsonClient = (
  name: string,
  url: string,
  token: string,
  headers: Readonly<Record<string, string>> = {}
): JsonClient => ({
  ask: async (method, path, { also = [], body, signal }) => {
    const what = `${name}: ${method} ${path}`
    const response = await fetch(`${url}${path}`, {
      method,
      signal,
      // A token goes nowhere but where it was meant for.
      redirect: "manual",
      headers: {
        accept: "application/json",
        "user-agent": "pawl-github-mirror",
        ...headers,
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    }).catch(() => {
      throw new Later(`${what} had no answer`)
    })
    const text = await response.text().catch(() => {
      throw new Later(`${what} broke off`)
    })
    if (!response.ok && !also.includes(response.status))
      throw new Later(`${what} answered ${response.status}${whenAgain(response.headers)}`)
    return { status: response.status, body: parsed(text) }
  }
})
