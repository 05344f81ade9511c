/** `docs/internals/map.md`: from each endpoint and each command to its file, its use case, what it commits and sends. */
import { commandKinds } from "@pawl/core/model/Command"
import { endpoints } from "@pawl/server/http/request/Endpoints"
import { type Declarations, declarationsOf, reachable } from "./Declarations.ts"
import { code, page, type Page, table } from "./Markdown.ts"

const core = declarationsOf("core/src")
const http = declarationsOf("server/src/http")

/** Names that every use case reaches: the machinery of deciding and committing. */
const machinery = /^(primitives|ledger|model|telemetry|objects|access\/(Access|Secrets|Names))\b/

/** Beside the machinery, ports (a file that has a name like its own) and the table of handlers. */
const notUseCases = new RegExp(`${machinery.source}|^worker/Handlers#|/(\\w+)#\\2$`)

const commitsOf = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/"([A-Z]\w+\.\w+)"/g), ([, name]) => name!).filter(
    (name) => !text.includes(`withSpan("${name}"`) || text.includes(`name: "${name}"`)
  )

const sentIn = (text: string): ReadonlyArray<string> =>
  commandKinds.filter((kind) => new RegExp(`(kind: |commandId\\(|command: )"${kind.replace(".", "\\.")}"`).test(text))

interface Traced {
  readonly useCases: ReadonlyArray<string>
  readonly commits: ReadonlyArray<string>
  readonly sends: ReadonlyArray<string>
}

/** What declarations of the core lead to. */
const trace = (roots: ReadonlyArray<string>): Traced => {
  const reached = reachable(core, roots).filter(({ id }) => !machinery.test(id))
  const text = reached.map((each) => each.text)
  return {
    useCases: roots.filter(
      (id) => !notUseCases.test(id) && core.get(id)?.text.match(/Effect|decideAndCommit/) !== null
    ),
    commits: [...new Set(text.flatMap(commitsOf))].toSorted(),
    sends: [...new Set(text.flatMap(sentIn))].toSorted()
  }
}

/** What declarations of one side use of the core: those that are not of that side. */
const intoCore = (side: Declarations, from: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(from.flatMap((id) => reachable(side, [id])).flatMap(({ uses }) => uses.filter((use) => core.has(use))))
]

interface Handler {
  readonly file: string
  readonly roots: ReadonlyArray<string>
}

/** The text of one `.handle("name", …)` of a group. */
const handlerOf = (endpoint: string): Handler | null => {
  const [group = "", name = ""] = endpoint.split(".")
  const file = [...http.values()].find(({ text }) => text.includes(`HttpApiBuilder.group(PawlApi, "${group}"`))
  if (file === undefined) return null
  const from = file.text.search(new RegExp(`\\.handle(Raw)?\\(\\s*"${name}"`))
  if (from < 0) return null
  const rest = file.text.slice(from + 1)
  const end = rest.search(/\n    \.handle/)
  const used = file.usesIn(end < 0 ? rest : rest.slice(0, end))
  return { file: file.id.split("#")[0] ?? "", roots: [...used.filter((id) => core.has(id)), ...intoCore(http, used)] }
}

const cells = (names: ReadonlyArray<string>): string => names.map(code).join(", ")
const useCase = (id: string): string => id.replace(/^\w+\//, "").replace("#", ".")

const endpointRows = (): ReadonlyArray<ReadonlyArray<string>> =>
  endpoints.flatMap(({ method, name, path }) => {
    const handler = handlerOf(name)
    if (handler === null) return []
    const { commits, sends, useCases } =
      method === "GET" ? { ...trace(handler.roots), commits: [], sends: [] } : trace(handler.roots)
    return [[code(`${method} ${path}`), code(handler.file), cells(useCases.map(useCase)), cells(commits), cells(sends)]]
  })

/** The handler of each command, as the table in `worker/Handlers.ts` names it. */
const commandRows = (): ReadonlyArray<ReadonlyArray<string>> => {
  const bodies = core.get("worker/Handlers#bodies")
  if (bodies === undefined) throw new Error("worker/Handlers.ts has no table of bodies")
  // One that has no body here is done by an installation of another kind.
  const done = commandKinds.filter((kind) => bodies.text.includes(`"${kind}":`))
  return done.map((kind) => {
    const part = bodies.text.split(`"${kind}":`)[1]?.split(/\n  "|\n\}/)[0] ?? ""
    const named = bodies.usesIn(part)
    // A handler with an end of its own stands beside the table.
    const roots = named.flatMap((id) => (id.startsWith("worker/") ? (core.get(id)?.uses ?? []) : [id]))
    const { commits, sends, useCases } = trace([...new Set(roots)].filter((id) => !/#Of[A-Z]/.test(id)))
    return [code(kind), cells(useCases.map(useCase)), cells(commits), cells(sends.filter((each) => each !== kind))]
  })
}

export const mapPage = (): Page =>
  page("docs/internals/map.md", "Map", [
    "From an endpoint or a command to the code that does it. *Commits* are the names under which traces, faults and crash points know what is written; *sends* are commands that it may send. Followed through the sources by name, so an entry may be possible only in some cases.",
    "## Endpoints",
    "Files are of `packages/server/src/http`, use cases of `packages/core/src`.",
    table(["endpoint", "file", "use case", "commits", "sends"], endpointRows()),
    "## Commands",
    table(["command", "use case", "commits", "sends"], commandRows())
  ])
