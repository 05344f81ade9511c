/** What a call that does not answer throws: what is wrong, in words for people, and a code for programs. */

/** A problem as servers of Pawl write it (RFC 9457), or what stands for one where no server answered. */
export class Refusal extends Error {
  override readonly name = "Refusal"
  /** 0 where no answer came. */
  readonly status: number
  /** The word for programs, such as `stale` or `unauthenticated`; `unreachable` where no answer came. */
  readonly code: string
  readonly title: string
  /** What is wrong, where, and what to do. */
  readonly detail: string
  /** Finds the call in the server's log; null where the answer names none. */
  readonly requestId: string | null
  /** What stands in the problem beside the fields that each has. */
  readonly facts: Readonly<Record<string, unknown>>

  constructor(said: Pick<Refusal, "status" | "code" | "title" | "detail" | "requestId" | "facts">) {
    super(`${said.code}: ${said.detail}`)
    this.status = said.status
    this.code = said.code
    this.title = said.title
    this.detail = said.detail
    this.requestId = said.requestId
    this.facts = said.facts
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const textOf = (value: unknown, otherwise: string): string =>
  typeof value === "string" && value !== "" ? value : otherwise

/** The refusal in a body that was answered with this status; any other body stands for itself. */
export const refusalOf = (status: number, body: unknown, requestId: string | null): Refusal => {
  if (!isRecord(body))
    return new Refusal({
      status,
      code: "no_problem",
      title: "The answer is none of this server's",
      detail: `Status ${status} came without a word. Something between this page and the server may have answered.`,
      requestId,
      facts: {}
    })
  const { type: _type, status: _status, code, title, detail, requestId: own, ...facts } = body
  const word = textOf(code, "no_problem")
  return new Refusal({
    status,
    code: word,
    title: textOf(title, word.replaceAll("_", " ")),
    detail: textOf(detail, `Status ${status}.`),
    requestId: typeof own === "string" ? own : requestId,
    facts
  })
}

/** No answer came: the server is away, or the way to it. */
export const unreachable = (): Refusal =>
  new Refusal({
    status: 0,
    code: "unreachable",
    title: "The server does not answer",
    detail: "It may be restarting, or this machine may be offline. Nothing was lost; try again.",
    requestId: null,
    facts: {}
  })

/** Whatever was thrown, as a refusal. What is none is a mistake of the console. */
export const asRefusal = (thrown: unknown): Refusal =>
  thrown instanceof Refusal
    ? thrown
    : new Refusal({
        status: 0,
        code: "console_fault",
        title: "The console made a mistake",
        detail: thrown instanceof Error ? thrown.message : String(thrown),
        requestId: null,
        facts: {}
      })
