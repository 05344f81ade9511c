/** Changes: which there are, how one stands, and opening one. */
import { changeKinds, changeStatuses, riskTiers } from "@pawl/core/model/Change"
import { Effect, Schema } from "effect"
import { ServerLimits } from "../../ServerLimits.ts"
import { changeId, cursor, limit, projectId, words } from "../ToolInput.ts"
import { pathTo, type ToolApi } from "../ToolApi.ts"
import { tool } from "../Tool.ts"
import {
  type CandidateJson,
  type ChangeJson,
  nextOf,
  type PageJson,
  type TaskJson,
  type WhyJson
} from "../WireShapes.ts"

const shown = ({ createdAt, createdBy, goal, id, kind, riskTier, status, updatedAt }: ChangeJson) => ({
  id,
  status,
  kind,
  riskTier,
  goal,
  createdBy,
  createdAt,
  updatedAt
})
const line = ({ goal, id, status }: ChangeJson): string => `${id}  ${status}  ${goal}`

/** One value or several of some. */
const someOf = <const L extends ReadonlyArray<string>>(values: L, description: string) =>
  Schema.optionalKey(Schema.Array(Schema.Literals(values)).annotate({ description }))

/** What stands for a page without a Change on it: those that are looked through may lie further on. */
const none = (nextCursor: string | null): string =>
  nextCursor === null ? "None." : "None so far: there are more to look through, ask with the nextCursor."

/** The Changes of a Project. */
export const listChanges = tool({
  name: "list_changes",
  title: "List Changes",
  description: "The Changes of a Project, newest first. What you give must all hold.",
  reads: true,
  input: Schema.Struct({
    project: projectId,
    status: someOf(changeStatuses, "in one of these"),
    kind: someOf(changeKinds, "of one of these"),
    riskTier: someOf(riskTiers, "of one of these"),
    createdBy: Schema.optionalKey(words("the id of who opened it, usr_…")),
    q: Schema.optionalKey(words("words that all stand in its goal, or the beginning of its id")),
    limit,
    cursor
  }),
  run: ({ cursor: from, limit: most = ServerLimits.mcpItems, project, ...wanted }, { api, fenced }) =>
    Effect.map(
      api.json<PageJson<ChangeJson>>({
        path: pathTo`/v1/projects/${project}/changes`,
        query: { ...wanted, limit: most, cursor: from }
      }),
      ({ items, nextCursor }) => ({
        text: items.length === 0 ? none(nextCursor) : fenced("goals of Changes", items.map(line).join("\n")),
        structured: { changes: items.map(shown), nextCursor },
        untrusted: ["changes[].goal"]
      })
    )
})

const listed = <A>(
  api: ToolApi,
  path: string
): Effect.Effect<ReadonlyArray<A>, Effect.Error<ReturnType<ToolApi["text"]>>> =>
  Effect.map(api.json<PageJson<A>>({ path, query: { limit: ServerLimits.mcpItemsMost } }), ({ items }) => items)

const nextStep = Effect.fnUntraced(function* (api: ToolApi, newest: CandidateJson | undefined, status: string) {
  if (newest !== undefined) return nextOf(yield* api.json<WhyJson>({ path: pathTo`/v1/candidates/${newest.id}/why` }))
  return status === "created"
    ? "Send its files with submit_files, then ask for a Candidate with request_candidate."
    : "Ask for a Candidate with request_candidate once its ChangeSets are there."
})

/** How one Change stands. */
export const getChange = tool({
  name: "get_change",
  title: "Get a Change",
  description: "One Change with its Tasks and Candidates, and one sentence that says what there is to do next.",
  reads: true,
  input: Schema.Struct({ change: changeId }),
  run: ({ change: id }, { api, fenced }) =>
    Effect.gen(function* () {
      const { change } = yield* api.json<{ readonly change: ChangeJson }>({ path: pathTo`/v1/changes/${id}` })
      const tasks = yield* listed<TaskJson>(api, pathTo`/v1/changes/${id}/tasks`)
      const candidates = yield* listed<CandidateJson>(api, pathTo`/v1/changes/${id}/candidates`)
      const isOver = ["completed", "failed", "cancelled"].includes(change.status)
      const next = isOver ? "Nothing: it is over." : yield* nextStep(api, candidates.at(-1), change.status)
      return {
        text: [
          fenced("the goal of the Change", line(change)),
          ...(tasks.length === 0
            ? []
            : [
                fenced(
                  "titles of its Tasks",
                  tasks.map((each) => `${each.id}  ${each.status}  ${each.title}`).join("\n")
                )
              ]),
          ...candidates.map((each) => `${each.id}  ${each.status} on S${each.base_generation}`),
          `Next: ${next}`
        ].join("\n"),
        structured: {
          change: { ...shown(change), projectId: change.projectId },
          tasks: tasks.map(({ id: task, status, title }) => ({ id: task, status, title })),
          candidates: candidates.map(({ base_generation: baseGeneration, id: candidate, reason, status, tree }) => ({
            id: candidate,
            status,
            reason,
            baseGeneration,
            tree
          })),
          next
        },
        untrusted: ["change.goal", "tasks[].title", "candidates[].reason"]
      }
    })
})

/** A goal for a Project. */
export const openChange = tool({
  name: "open_change",
  title: "Open a Change",
  description:
    "Opens a Change: a goal for a Project, and what may be spent on it in US dollars. The same clientRequestId again opens nothing twice. Where no model is set up it waits for submit_files.",
  reads: false,
  input: Schema.Struct({
    project: projectId,
    goal: words("what is wanted, in the person's words"),
    budget: Schema.Finite.annotate({ description: "US dollars, above 0, at most 100, at most 2 decimals" }),
    clientRequestId: words("a text of your choice that names this request"),
    startPlanning: Schema.optionalKey(
      Schema.Boolean.annotate({ description: "false: no agents work on it, you send its files" })
    )
  }),
  run: ({ budget, clientRequestId, goal, project, startPlanning }, { api }) =>
    Effect.map(
      api.json<{ readonly change: ChangeJson }>({
        path: pathTo`/v1/projects/${project}/changes`,
        body: { clientRequestId, goal, budget_usd: budget, ...(startPlanning === undefined ? {} : { startPlanning }) }
      }),
      ({ change }) => ({
        text: `Change ${change.id} is ${change.status}.`,
        structured: { change: { ...shown(change), projectId: change.projectId } },
        untrusted: ["change.goal"]
      })
    )
})
