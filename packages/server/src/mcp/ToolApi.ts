/** The HTTP API as the tools of a model ask it: by a path, with the caller's own token, and no more of it than tools need. */
import { Data, Effect } from "effect"
import { isForTools } from "./ToolPaths.ts"

/** What the API refused, or why it could not be asked: as a model is told it. */
export class ToolRefused extends Data.TaggedError("ToolRefused")<{
  /** The problem's code, or `unavailable`. */
  readonly code: string
  readonly detail: string
  /** The fields of the problem beside those that each has. */
  readonly facts: Readonly<Record<string, unknown>>
}> {
  override get message() {
    return `${this.code}: ${this.detail}`
  }
}

type QueryValue = string | number | undefined

/** A question to the API. What is undefined in `query` is left out; a list is said once for each of its values. */
export interface ApiQuestion {
  readonly path: string
  readonly query?: Readonly<Record<string, QueryValue | ReadonlyArray<string>>>
  /** Sent as JSON by POST; without it the question is a GET. */
  readonly body?: unknown
}

/** Asks the API. Everything that is no success fails with `ToolRefused`. */
export interface ToolApi {
  /** An answer as it stands on the wire. */
  readonly json: <A>(question: ApiQuestion) => Effect.Effect<A, ToolRefused>
  readonly text: (question: ApiQuestion) => Effect.Effect<string, ToolRefused>
}

/** Where the API is, and as whom it is asked. */
export interface ToolApiOptions {
  /** Such as `http://127.0.0.1:8787`. */
  readonly baseUrl: string
  /** The header `Authorization`, which is never told anybody else. */
  readonly authorization: string
  /** Asks where the API is no address; `fetch` does otherwise. */
  readonly ask?: (question: Request) => Promise<Response>
}

const unavailable = (detail: string) => new ToolRefused({ code: "unavailable", detail, facts: {} })

const known = new Set(["type", "title", "status", "code", "detail", "requestId"])

/** What a problem (RFC 9457) says; of what is none, its status. */
const refusalOf = (status: number, text: string): ToolRefused => {
  try {
    const problem: unknown = JSON.parse(text)
    if (typeof problem === "object" && problem !== null && "code" in problem && "detail" in problem)
      return new ToolRefused({
        code: String(problem.code),
        detail: String(problem.detail),
        facts: Object.fromEntries(Object.entries(problem).filter(([name]) => !known.has(name)))
      })
  } catch {
    // Not an answer of Pawl's.
  }
  return unavailable(`the server answered ${status}, and not as Pawl does`)
}

const methodOf = ({ body }: ApiQuestion) => (body === undefined ? "GET" : "POST")

const notForTools = (question: ApiQuestion) =>
  new ToolRefused({
    code: "invalid_input",
    detail: `No tool may ask for ${methodOf(question)} ${question.path}. Give an id that a list answered.`,
    facts: {}
  })

/** Where it is asked; null for what is not for tools. By an id such as `..` the path is another one when it is asked for. */
const addressOf = ({ baseUrl }: ToolApiOptions, question: ApiQuestion): URL | null => {
  const { path, query = {} } = question
  const root = baseUrl.replace(/\/$/, "")
  const url = new URL(`${root}${path}`)
  const isThere = url.pathname === `${new URL(root).pathname.replace(/\/$/, "")}${path}`
  if (!isThere || !isForTools(methodOf(question), path)) return null
  for (const [name, given] of Object.entries(query))
    for (const value of Array.isArray(given) ? given : [given])
      if (value !== undefined) url.searchParams.append(name, String(value))
  return url
}

/** A path of the API with what a model wrote in it: it names one thing, whatever characters it has. */
export const pathTo = (strings: TemplateStringsArray, ...ids: ReadonlyArray<string | number>): string =>
  String.raw({ raw: strings }, ...ids.map((id) => encodeURIComponent(id)))

/** Asks over HTTP. */
export const makeToolApi = (options: ToolApiOptions): ToolApi => {
  const asking = (question: ApiQuestion, address: URL, accept: string, signal: AbortSignal) => {
    const { body } = question
    const headers = { authorization: options.authorization, accept }
    return new Request(
      address,
      body === undefined
        ? { headers, signal }
        : {
            method: methodOf(question),
            headers: { ...headers, "content-type": "application/json" },
            body: JSON.stringify(body),
            signal
          }
    )
  }
  const answer = (question: ApiQuestion, accept: string) =>
    Effect.suspend(() => {
      const address = addressOf(options, question)
      if (address === null) return Effect.fail(notForTools(question))
      return Effect.tryPromise({
        try: async (signal) => {
          const response = await (options.ask ?? fetch)(asking(question, address, accept, signal))
          return { isGood: response.ok, status: response.status, text: await response.text() }
        },
        catch: () => unavailable("the server does not answer; try again in a moment")
      })
    }).pipe(
      Effect.flatMap(({ isGood, status, text }) =>
        isGood ? Effect.succeed(text) : Effect.fail(refusalOf(status, text))
      )
    )
  return {
    json: <A>(question: ApiQuestion) =>
      Effect.flatMap(answer(question, "application/json"), (text) =>
        Effect.try({
          try: (): A => JSON.parse(text),
          catch: () => unavailable("the server's answer is no JSON")
        })
      ),
    text: (question) => answer(question, "text/plain")
  }
}
