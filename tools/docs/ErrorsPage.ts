/** `docs/reference/errors.md`: every problem that the API answers, from the one table that makes them. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { blockCodes } from "@pawl/core/promotion/Canonical"
import { Stale } from "@pawl/core/promotion/Promotions"
import { rows } from "../../packages/server/src/http/answer/Problems.ts"
import { code, page, type Page, table } from "./Markdown.ts"

const root = fileURLToPath(new URL("../../packages", import.meta.url))

/** Every fact that some refusal carries. Each row takes those it needs. */
const sample = {
  code: "invalid_field",
  field: "<field>",
  reason: "missing",
  path: "<path>",
  file: "<file>",
  hunk: 1,
  line: 1,
  limit: "<limit>",
  max: "<max>",
  actual: "<actual>",
  held: ["<held>"],
  needed: "<needed>",
  beyond: ["<beyond>"],
  endsAt: null,
  userId: "<user>",
  organizationId: "<organization>",
  kind: "thing",
  id: "<id>",
  changeId: "<change>",
  candidateId: "<candidate>",
  promotingCandidateId: "<promoting>",
  projectId: "<project>",
  webhookId: "<webhook>",
  after: "<after>",
  oldest: "<oldest>",
  slug: "<slug>",
  status: "<status>",
  baseGeneration: "<base>",
  canonicalGeneration: "<canonical>",
  expectedGeneration: "<expected>",
  blocks: [{ code: "<block>", detail: "<why>" }],
  decision: "<decision>",
  approver: "<approver>",
  current: "<current>",
  asked: "<asked>",
  perDay: "<perDay>",
  message: "<message>"
}

interface Told {
  readonly status: number
  readonly code: string
  readonly title: string
  readonly facts: ReadonlyArray<string>
}

const told = (
  make: (refusal: never) => { status: number; code: string; title: string; detail: string; facts: object }
): Told => {
  // One object stands in for every refusal; a row that reads what it lacks would say `undefined`.
  const { status, code, title, detail, facts } = make(sample as never)
  if (detail.includes("undefined"))
    throw new Error(`tools/docs/ErrorsPage.ts has no sample for a fact of ${code}: ${detail}`)
  return { status, code, title, facts: Object.keys(facts) }
}

const sourcesOf = (folder: string): string =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(root, folder, name), "utf8"))
    .join("\n")

/** Problems that are made where they are met: about the request itself, and about the server as a whole. */
const others = (known: ReadonlyArray<Told>): ReadonlyArray<Told> => {
  const found = [...sourcesOf("server/src/http").matchAll(/problemOf\(\s*(\d{3}),\s*"([a-z_]+)",\s*"([^"]+)"/g)]
  const there = new Set(known.map(({ code }) => code))
  return found
    .map(([, status, code, title]) => ({ status: Number(status), code: code!, title: title!, facts: [] }))
    .filter(({ code }) => !there.has(code) && there.add(code))
}

/** Words for one field that cannot be used. */
const fieldCodes = (): ReadonlyArray<string> => {
  const text = sourcesOf("core/src")
  const found = [
    ...text.matchAll(/InvalidField\(\{\s*code: "([a-z_]+)"/g),
    ...text.matchAll(/(?:problem|refuse)\(\s*"([a-z_]+)",\s*"[a-zA-Z_.]+",/g)
  ]
  return [...new Set(found.map((match) => match[1]!))].toSorted()
}

const stale = new Stale({
  candidateId: "cand_33140dbdae32adf3b1106a6e",
  baseGeneration: 3,
  canonicalGeneration: 4,
  rollback: false
})

export const errorsPage = (): Page => {
  const fromTable = Object.values(rows).map((row) => told(row))
  const all = [...new Map([...fromTable, ...others(fromTable)].map((each) => [each.code, each])).values()]
  const sorted = all.toSorted((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1))
  return page("docs/reference/errors.md", "Errors", [
    "Every error has the shape of RFC 9457, with the content type `application/problem+json`:",
    [
      "```json",
      JSON.stringify(
        {
          type: "urn:pawl:problem:stale",
          title: "Canonical has moved on",
          status: 409,
          code: "stale",
          detail: stale.message,
          requestId: "req_01K9ZT4E4M8W2QJ6R0V5XH3N7A",
          baseGeneration: 3,
          canonicalGeneration: 4
        },
        null,
        2
      ),
      "```"
    ].join("\n"),
    "Decide by `code`. `title` and `detail` are for people and may change. `requestId` also stands in the header `X-Request-Id` and in the server's log. Some problems carry facts beside these fields.",
    "## Codes",
    table(
      ["status", "code", "what it says", "facts"],
      sorted.map((each) => [String(each.status), code(each.code), each.title, each.facts.map(code).join(", ")])
    ),
    "`unknown_thing` stands for all its kind: `unknown_project`, `unknown_change`, `unknown_candidate` and so on. What a caller may not see is unknown to them, too.",
    "## A field that cannot be used",
    `A 400 names its \`field\`. Its code is \`invalid_field\`, or a word of its own: ${fieldCodes()
      .filter((each) => each !== "invalid_field")
      .map(code)
      .join(", ")}.`,
    "## Blocks",
    `409 \`blocked\` carries \`blocks: [{ code, detail }]\`, all at once: ${blockCodes.map(code).join(", ")}. \`frozen\` has \`until\` and \`reason\` too. [What they mean](../concepts/promotion.md#the-swap).`,
    "## Before the API",
    "The listener itself answers 503 `starting` until everything is up, and 421 `unknown_host` for a host that is neither the API's nor an app's. What cannot be taken as a request it answers, and closes the connection: 400 `malformed_request` or `ambiguous_request`, 405 `method_not_allowed`, 408 `request_timeout`, 413 `chunk_extensions_too_large`, 414 `uri_too_long`, 417 `expectation_failed`, 431 `headers_too_large`, and 501 `unknown_coding`, `unknown_method` or `upgrade_not_served`.",
    "Hosts of apps answer [pages](../concepts/app.md#life-of-a-pointer), not problems."
  ])
}
