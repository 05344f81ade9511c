/** The API over HTTP, typed by the contract. A refusal of the server is thrown as `Refused`. */
import { ServerLimits } from "../../../ServerLimits.ts"
import { askHttp, type HttpAnswer } from "./HttpAnswer.ts"
import { exitCodes, ofProblem, Refused } from "./Refused.ts"
import { type Answer, type RouteName, routes, type Sent } from "./Routes.ts"

/** What a request says beside its endpoint. */
export interface Asked<Name extends RouteName> {
  readonly id?: string
  /** What is undefined is left out; a list is said once for each of its values. */
  readonly query?: Readonly<Record<string, string | number | ReadonlyArray<string> | undefined>>
  readonly body?: Sent<Name>
  /** What is sent beyond the contract: a newer server may know it. */
  readonly more?: Readonly<Record<string, unknown>>
}

/** A message of an open stream. */
export interface Streamed {
  readonly id: string
  readonly data: unknown
}

/** A server, and as whom it is asked. */
export interface UserClient {
  readonly address: string
  readonly ask: <Name extends RouteName>(name: Name, asked?: Asked<Name>) => Promise<Answer<Name>>
  /** The text form of an answer. */
  readonly text: <Name extends RouteName>(name: Name, asked?: Asked<Name>) => Promise<string>
  /** Messages of a stream, which is taken up again behind the last one as often as it ends. */
  readonly stream: <Name extends RouteName>(name: Name, asked?: Asked<Name>) => AsyncGenerator<Streamed>
  /** Any request; refusals are answers here. */
  readonly raw: (method: string, path: string, body: string | undefined, accept: string) => Promise<HttpAnswer>
}

const target = <Name extends RouteName>(name: Name, { id, query }: Asked<Name>): string => {
  const path = routes[name][1].replace(":id", encodeURIComponent(id ?? ""))
  const given = Object.entries(query ?? {}).flatMap(([key, value]) =>
    (typeof value === "object" ? value : value === undefined ? [] : [value]).map(
      (each) => [key, String(each)] satisfies [string, string]
    )
  )
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`
}

const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(", ")
  return error instanceof Error ? error.message : String(error)
}

const away = (address: string, reason: string): Refused =>
  new Refused("unreachable", `${address} does not answer as Pawl does: ${reason}`, exitCodes.cannotAsk, [
    { command: "pawl serve", when: "the server is to run on this machine" }
  ])

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const demandOk = async (address: string, response: HttpAnswer): Promise<HttpAnswer> => {
  if (response.ok) return response
  const body = parsed(await response.text())
  throw ofProblem(response.status, body) ?? away(address, `it answered ${response.status}`)
}

/** The messages of one open answer; ends when the server ends it. */
async function* messages(response: HttpAnswer): AsyncGenerator<Streamed> {
  let rest = ""
  const decoder = new TextDecoder()
  for await (const piece of response.body) {
    rest += decoder.decode(piece, { stream: true })
    const parts = rest.split("\n\n")
    rest = parts.pop() ?? ""
    for (const part of parts) {
      const fields = part
        .split("\n")
        .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()])
      const of = (name: string) =>
        fields
          .filter(([key]) => key === name)
          .map(([, value]) => value)
          .join("\n")
      const data = parsed(of("data"))
      if (data !== undefined) yield { id: of("id"), data }
    }
  }
}

/** Speaks to a server; without a token as nobody. Nothing is asked twice but a stream that ended. */
export const userClient = (address: string, token: string | null): UserClient => {
  const send = async (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | undefined
  ): Promise<HttpAnswer> => {
    const credential = token === null ? {} : { authorization: `Bearer ${token}` }
    try {
      return await askHttp(`${address}${path}`, { method, headers: { ...credential, ...headers }, body })
    } catch (error) {
      throw away(address, reasonOf(error))
    }
  }
  const asking = async <Name extends RouteName>(name: Name, asked: Asked<Name>, headers: Record<string, string>) => {
    const body = asked.body === undefined ? undefined : JSON.stringify({ ...asked.body, ...asked.more })
    const typed = body === undefined ? headers : { ...headers, "content-type": "application/json" }
    return demandOk(address, await send(routes[name][0], target(name, asked), typed, body))
  }
  const text: UserClient["text"] = async (name, asked = {}) =>
    (await asking(name, asked, { accept: "text/plain" })).text()
  const ask: UserClient["ask"] = async (name, asked = {}) => {
    const body = parsed(await (await asking(name, asked, { accept: "application/json" })).text())
    if (typeof body !== "object" || body === null) throw away(address, "its answer is not JSON")
    // The server answers by the contract, which this type is made of.
    return body as Answer<typeof name>
  }
  async function* stream<Name extends RouteName>(name: Name, asked: Asked<Name> = {}): AsyncGenerator<Streamed> {
    let last = ""
    let failed = 0
    for (;;) {
      const resumed: Record<string, string> = last === "" ? {} : { "last-event-id": last }
      try {
        const response = await asking(name, asked, { accept: "text/event-stream", ...resumed })
        for await (const message of messages(response)) {
          failed = 0
          last = message.id
          yield message
        }
      } catch (error) {
        if (error instanceof Refused && error.code !== "unreachable") throw error
        failed += 1
        if (failed >= ServerLimits.streamTries || last === "")
          throw error instanceof Refused ? error : away(address, reasonOf(error))
      }
      await new Promise((resolve) => setTimeout(resolve, ServerLimits.streamPauseMs))
    }
  }
  return {
    address,
    ask,
    text,
    stream,
    raw: (method, path, body, accept) => {
      const headers = { accept, ...(body === undefined ? {} : { "content-type": "application/json" }) }
      return send(method, path, headers, body)
    }
  }
}
