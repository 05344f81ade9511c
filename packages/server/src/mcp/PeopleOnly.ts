/** What assistants call although it is for people: there is no such tool, and who asks for one is led to a person's page. */
import { Effect } from "effect"
import type { ToolContext } from "./Tool.ts"
import { pathTo, ToolRefused } from "./ToolApi.ts"
import type { CandidateJson, ProjectJson } from "./WireShapes.ts"

/** Where on a Project's pages a person does it. */
const places: ReadonlyMap<string, string> = new Map([
  ["approve", "/changes"],
  ["reject", "/changes"],
  ["promote", "/changes"],
  ["rollback", "/rollback"],
  ["set_policy", "/settings"]
])

/** Whether a tool of this name is missing on purpose. */
export const isForPeople = (name: string): boolean => places.has(name)

/** The first text among the arguments that is an id of this kind. */
const idIn = (given: unknown, prefix: string): string | undefined =>
  Object.values(typeof given === "object" && given !== null ? given : {}).find(
    (value: unknown): value is string => typeof value === "string" && value.startsWith(prefix)
  )

const pageOfCandidate = ({ changeId, id }: Pick<CandidateJson, "changeId" | "id">) =>
  `${pathTo`/changes/${changeId}`}?candidate=${encodeURIComponent(id)}`

/** The console's page for what the arguments name and the caller may see; null for none. */
const pageFor = Effect.fnUntraced(
  function* (name: string, given: unknown, { api }: ToolContext) {
    const [candidate, change, project] = ["cand_", "chg_", "proj_"].map((prefix) => idIn(given, prefix))
    if (candidate !== undefined) {
      const path = pathTo`/v1/candidates/${candidate}`
      return pageOfCandidate((yield* api.json<{ readonly candidate: CandidateJson }>({ path })).candidate)
    }
    if (change !== undefined) {
      yield* api.json({ path: pathTo`/v1/changes/${change}` })
      return pathTo`/changes/${change}`
    }
    if (project === undefined) return null
    const path = pathTo`/v1/projects/${project}`
    const { label } = (yield* api.json<{ readonly project: ProjectJson }>({ path })).project
    return `${pathTo`/p/${label}`}${places.get(name) ?? ""}`
  },
  // An id that leads nowhere gives no page; whose token does not count was told so before.
  Effect.orElseSucceed(() => null)
)

/** The refusal of such a call, with the address of the page on which a person does it where an id leads to one. */
export const forPeople = (name: string, given: unknown, context: ToolContext): Effect.Effect<never, ToolRefused> =>
  Effect.flatMap(pageFor(name, given, context), (page) => {
    const url = page === null ? context.origin : `${context.origin}${page}`
    return Effect.fail(
      new ToolRefused({
        code: "for_people",
        detail: `There is no tool ${name}: approving, promoting, rolling back and changing a Policy are for people. A person does it on this page: ${url}`,
        facts: { url }
      })
    )
  })
