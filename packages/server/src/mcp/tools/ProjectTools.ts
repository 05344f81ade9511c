/** Projects: which there are, and how one stands. */
import { changeStatuses } from "@pawl/core/model/Change"
import { ChangeLifecycle } from "@pawl/core/model/ChangeLifecycle"
import { isFinal } from "@pawl/core/model/Lifecycle"
import { Effect, Schema } from "effect"
import { ServerLimits } from "../../ServerLimits.ts"
import { cursor, limit, projectId } from "../ToolInput.ts"
import { pathTo, type ToolApi, type ToolRefused } from "../ToolApi.ts"
import { tool } from "../Tool.ts"
import type { ChangeJson, PageJson, ProjectJson } from "../WireShapes.ts"

interface AppJson {
  readonly enabled: boolean
  readonly app: { readonly url?: string | null; readonly status?: string } | null
}

const shown = ({ id, name, slug, status }: ProjectJson) => ({ id, name, slug, status })

/** Which Projects the caller may see. */
export const listProjects = tool({
  name: "list_projects",
  title: "List Projects",
  description: "The Projects that you may see, with their ids. Begin here.",
  reads: true,
  input: Schema.Struct({ limit, cursor }),
  run: ({ cursor: from, limit: most = ServerLimits.mcpItems }, { api, fenced }) =>
    Effect.map(
      api.json<PageJson<ProjectJson>>({ path: "/v1/projects", query: { limit: most, cursor: from } }),
      ({ items, nextCursor }) => ({
        text: fenced(
          "names of Projects",
          items.map(({ id, name, slug, status }) => `${id}  ${slug}  ${status}  ${name}`).join("\n")
        ),
        structured: { projects: items.map(shown), nextCursor },
        untrusted: ["projects[].name"]
      })
    )
})

/** What is not there is null; whatever else is refused is refused. */
const unlessUnknown = <A>(asked: Effect.Effect<A, ToolRefused>): Effect.Effect<A | null, ToolRefused> =>
  Effect.catchIf(
    asked,
    ({ code }) => code.startsWith("unknown_"),
    () => Effect.succeed(null)
  )

const openStatuses = changeStatuses.filter((status) => !isFinal(ChangeLifecycle, status))

const openChanges = (api: ToolApi, project: string) =>
  api.json<PageJson<ChangeJson>>({
    path: pathTo`/v1/projects/${project}/changes`,
    query: { status: openStatuses, limit: ServerLimits.mcpItemsMost }
  })

/** How one Project stands. */
export const getProject = tool({
  name: "get_project",
  title: "Get a Project",
  description:
    "One Project: its canonical head (generation, commit, tree), where its app is live, and the Changes that are open.",
  reads: true,
  input: Schema.Struct({ project: projectId }),
  run: ({ project: id }, { api, fenced }) =>
    Effect.gen(function* () {
      const { canonical, project } = yield* api.json<{
        readonly project: ProjectJson
        readonly canonical: { readonly generation: number; readonly commit: string; readonly tree: string } | null
      }>({ path: pathTo`/v1/projects/${id}` })
      const live = yield* unlessUnknown(api.json<AppJson>({ path: pathTo`/v1/projects/${id}/app` }))
      const { items: work, nextCursor } = yield* openChanges(api, id)
      const head = canonical === null ? "it has no source yet" : `head S${canonical.generation}, tree ${canonical.tree}`
      const url = live?.app?.url ?? null
      return {
        text: [
          `${project.id} is ${project.status}; ${head}; ${url === null ? "no app is live" : `live at ${url}`}.`,
          nextCursor === null
            ? `${work.length} open Changes${work.length === 0 ? "." : ":"}`
            : `The newest ${work.length} open Changes; list_changes has the others:`,
          ...(work.length === 0
            ? []
            : [fenced("goals of Changes", work.map((each) => `${each.id}  ${each.status}  ${each.goal}`).join("\n"))])
        ].join("\n"),
        structured: {
          project: shown(project),
          canonical,
          app: live?.app ?? null,
          openChanges: work.map(({ goal, id: change, status }) => ({ id: change, status, goal }))
        },
        untrusted: ["project.name", "openChanges[].goal"]
      }
    })
})
