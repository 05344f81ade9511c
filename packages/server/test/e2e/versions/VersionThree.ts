/**
 * What version 3 (the line on Effect 3) left behind when it was killed with all kinds of work under way, and what that
 * version itself answered about it. `fixtures/version-3/README.md` says how it was made.
 */
import { execFileSync } from "node:child_process"
import { createServer } from "node:http"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { isDeepStrictEqual } from "node:util"
import { gunzipSync } from "node:zlib"
import * as DemoApi from "../../../src/node/demo/DemoApi.ts"
import { type ServerProcess, startServer } from "../kit/ServerProcess.ts"

const fixtures = fileURLToPath(new URL("../../fixtures/version-3/", import.meta.url))

export interface Answer {
  readonly status: number
  readonly body: unknown
}

/** A Project whose work was cut off by the kill, by what it was at. */
type InFlight =
  | "composing"
  | "building"
  | "checking"
  | "releasing"
  | "probing"
  | "promoting"
  | "syncing"
  | "telling"
  | "removing"
  | "cleaning"
  | "recomposing"
  | "provisioning"
  | "working"

interface Hook {
  readonly webhook: { readonly id: string }
  readonly secret: string
}

/** What its maker noted beside the answers. */
interface Facts {
  /** A moment after the kill, ms since 1970: the clock of whoever reads on begins there. */
  readonly asOf: number
  /** The port on loopback that webhooks are sent to. */
  readonly hookPort: number
  readonly ownerToken: string
  readonly members: Readonly<Record<"ann" | "bob" | "cleo" | "emil", string>>
  readonly tokens: Readonly<Record<"ci" | "revoked", string>>
  readonly story: { readonly id: string; readonly label: string }
  readonly webhooks: Readonly<Record<"good" | "flaky", Hook>> & { readonly rotated: string }
  readonly buried: { readonly projectId: string; readonly letters: ReadonlyArray<{ readonly id: string }> }
  readonly flight: {
    readonly projects: Readonly<Record<InFlight, { readonly id: string; readonly label: string }>>
    readonly telling: Hook
    readonly changes: Readonly<Record<string, string>>
  }
}

export interface Left {
  readonly facts: Facts
  /** By the path that was asked; ` as <type>` stands behind it where it was not JSON. */
  readonly answers: Readonly<Record<string, Answer>>
  /** The rows as SQL, where they were in Postgres. */
  readonly sql: () => string
}

const unzipped = (path: string): string => gunzipSync(readFileSync(path)).toString("utf8")

/** Puts the data folder into `folder`. */
export const unpack = (store: "sqlite" | "postgres", folder: string): Left => {
  const file = (name: string) => join(fixtures, store, name)
  execFileSync("tar", ["-xzf", file("data.tar.gz"), "--no-same-owner", "--strip-components=1", "-C", folder])
  return {
    facts: JSON.parse(unzipped(file("facts.json.gz"))) as Facts,
    answers: JSON.parse(unzipped(file("answers.json.gz"))) as Left["answers"],
    sql: () => unzipped(file("data.sql.gz"))
  }
}

export interface Reader extends ServerProcess {
  readonly as: (token: string) => DemoApi.DemoApi
}

/** Starts this version's server on what was left, at the moment at which it was left, as its owner. */
export const reader = async (
  data: string,
  { aheadMs, ownerToken }: { readonly aheadMs: number; readonly ownerToken: string },
  environment: Readonly<Record<string, string>> = {}
): Promise<Reader> => {
  const server = await startServer({
    data,
    ownToken: true,
    environment: {
      NODE_OPTIONS: `--import=${join(fixtures, "Clock.ts")}`,
      PAWL_TEST_CLOCK_AHEAD_MS: String(aheadMs),
      PAWL_WEBHOOKS_ALLOW_PRIVATE: "true",
      PAWL_FIXTURES_ENABLED: "true",
      ...environment
    }
  })
  const as = (token: string) => DemoApi.make({ host: "127.0.0.1", port: server.port }, token)
  return { ...server, api: as(ownerToken), as }
}

/** Answers what was asked then, as this server does; what differs at every start is left out. */
export const answering = async ({ origin, port }: ServerProcess, token: string, asked: string): Promise<Answer> => {
  const [path = "", accept = "application/json"] = asked.split(" as ")
  const response = await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${token}`, accept } })
  const text = plain(await response.text(), port)
  return { status: response.status, body: accept === "application/json" ? JSON.parse(text) : text }
}

/** What is said of an app whose version was released before there were statements. */
const older = (serves: number) => ({ of: "router", problem: "live_unstated", serves, holdsBack: false, older: true })

/** The place of a step in the history: `asThen` cannot know which, so that whoever reads the history looks at it. */
const place: Said = { test: (said) => Number.isInteger(said) && Number(said) > 0 }
const generation: Said = { test: (said) => Number.isInteger(said) && Number(said) >= 0 }
const words: Said = { test: (said) => typeof said === "string" && said !== "" }

/** What a field may say where that is not one value. */
interface Said {
  readonly test: (said: unknown) => boolean
}
const isOneOf = (said: unknown): said is Said => isObject(said) && typeof said["test"] === "function"

/** Fields that answers have got since then, each by what it may say of what was there then: of packages a Policy, or a diff. */
const added: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  reserved_usd: [0],
  overlaps: [[]],
  review: [null],
  packages: [{}, []],
  waits: [[]],
  lane: [null],
  doubt: [null, ...[0, 1, 2, 3, 4].map(older)],
  ahead: [null],
  sequence: [place],
  outsideAgents: [true],
  title: [words],
  rollbackTarget: [generation],
  rollbackReason: [words]
}

/** An answer as it was given then: without the fields that came later, where they say what they must of what was there. */
export const asThen = (answer: unknown, then: unknown): unknown => {
  if (Array.isArray(answer) && Array.isArray(then)) return answer.map((each, at) => asThen(each, then[at]))
  if (!isObject(answer) || !isObject(then)) return answer
  const isNew = (name: string) =>
    !(name in then) &&
    (added[name] ?? []).some((said) =>
      isOneOf(said) ? said.test(answer[name]) : isDeepStrictEqual(answer[name], said)
    )
  const fields = Object.entries(answer).filter(([name]) => !isNew(name))
  return Object.fromEntries(fields.map(([name, value]) => [name, asThen(value, then[name])]))
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const plain = (text: string, port: number): string =>
  text.replaceAll(`localhost:${port}`, "localhost:PORT").replaceAll(/"req_[0-9A-Z]{26}"/g, '"req_ANY"')

export interface Told {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Receives what webhooks tell, and thanks for it. */
export const receiver = async (port: number) => {
  const told: Array<Told> = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => (body += text))
    request.on("end", () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      told.push({ path: request.url ?? "", headers, body })
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", resolve)
  })
  return {
    at: (path: string): ReadonlyArray<Told> => told.filter((each) => each.path === path),
    close: () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections()))
  }
}
