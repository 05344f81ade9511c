/** How a verb ends that does not end well: a code for programs, words for people, an exit code for scripts. */

/** What a verb's process ends with. */
export const exitCodes = {
  yes: 0,
  /** It was asked, and the answer is no. */
  no: 1,
  /** The command line cannot be used, or nobody could be asked. */
  cannotAsk: 2,
  /** Not signed in, or not allowed. */
  notAllowed: 4,
  /** Something else came first: look again. */
  stale: 5,
  stillRunning: 8,
  interrupted: 130
} as const

/** One of `exitCodes`. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** A command that goes on from here, and when it is the right one. */
export interface Next {
  readonly command: string
  readonly when: string
}

/** Ends a verb. `facts` are fields of the JSON document beside `code`, `detail` and `next`. */
export class Refused extends Error {
  readonly code: string
  readonly exitCode: ExitCode
  readonly next: ReadonlyArray<Next>
  readonly facts: Readonly<Record<string, unknown>>

  constructor(
    code: string,
    detail: string,
    exitCode: ExitCode,
    next: ReadonlyArray<Next> = [],
    facts: Readonly<Record<string, unknown>> = {}
  ) {
    super(detail)
    this.code = code
    this.exitCode = exitCode
    this.next = next
    this.facts = facts
  }
}

/** The command line cannot be used. */
export const misused = (detail: string, next: ReadonlyArray<Next> = []): Refused =>
  new Refused("usage", detail, exitCodes.cannotAsk, next)

/** The same end of a verb, with other commands that go on from there. */
export const leadingTo = (refused: Refused, next: ReadonlyArray<Next>): Refused =>
  new Refused(refused.code, refused.message, refused.exitCode, next, refused.facts)

const exitCodeOf = (status: number, code: string): ExitCode => {
  if (status === 401 || status === 403) return exitCodes.notAllowed
  if (code === "stale" || status === 412) return exitCodes.stale
  return status === 404 || status === 409 || status === 410 ? exitCodes.no : exitCodes.cannotAsk
}

/** Lists that show what there is where something is not. */
const lists: Readonly<Record<string, string>> = {
  unknown_project: "pawl project list",
  unknown_change: "pawl change list",
  unknown_candidate: "pawl change list"
}

const nextOf = (code: string, facts: Readonly<Record<string, unknown>>): ReadonlyArray<Next> => {
  const list = lists[code]
  if (list !== undefined) return [{ command: list, when: "to see which there are" }]
  const candidate = typeof facts["candidateId"] === "string" ? facts["candidateId"] : null
  if (code === "not_required" && candidate !== null)
    return facts["candidateStatus"] === "verified"
      ? [{ command: `pawl promote ${candidate}`, when: "it is to go live" }]
      : [{ command: `pawl why ${candidate}`, when: "to see where it stands" }]
  if (code === "unauthenticated") return [{ command: "pawl login --token", when: "you have a token" }]
  if (code === "stale") return [{ command: "pawl status", when: "to see what came first" }]
  if (code === "blocked") return [{ command: "pawl why <change>", when: "to see what is missing" }]
  if (code === "rate_limited" || code === "unavailable") return [{ command: "the same again", when: "in a moment" }]
  return []
}

/** What the server refused, from the body of its answer; null when that is no problem of Pawl's. */
export const ofProblem = (status: number, body: unknown): Refused | null => {
  if (typeof body !== "object" || body === null) return null
  const { code, detail, ...facts }: Record<string, unknown> = { ...body }
  if (typeof code !== "string" || typeof detail !== "string") return null
  return new Refused(code, detail, exitCodeOf(status, code), nextOf(code, facts), facts)
}
