/** A planner and its agents that do what a test says, behind one scripted provider of models. */
import type { Asked, Script, Turn } from "@pawl/testing/provider/Script"
import { calls } from "@pawl/testing/provider/Script"
import type { ScriptedProvider } from "@pawl/testing/provider/ScriptedProvider"
import * as ChangeFlow from "./ChangeFlow.ts"

/** A Task as a planner proposes it. Its title tells its agent from others. */
export interface TeamTask {
  readonly key: string
  readonly title: string
  readonly dependsOn?: ReadonlyArray<string>
  readonly writes?: ReadonlyArray<string>
}

/** What the team does. */
export interface Team {
  readonly tasks: ReadonlyArray<TeamTask>
  /** What each agent answers, turn by turn, by what its Task's title begins with. The last one is said again. */
  readonly agents: Readonly<Record<string, ReadonlyArray<Turn>>>
}

/** The Task that a request works on; null for a planner's. */
export const titleOf = ({ text }: Asked): string | null => /Your Task: (.*?)\\n/.exec(text)?.[1] ?? null

/** How many answers there were before this request. */
const turnOf = (asked: Asked): number => (asked.text.match(/"role":"assistant"/g) ?? []).length

const planOf = (tasks: ReadonlyArray<TeamTask>): Turn =>
  calls("propose_plan", {
    tasks: tasks.map((task) => ({
      kind: "implement",
      complexity: "small",
      instructions: `Do what ${task.title} says.`,
      ...task
    }))
  })

/** The script of a team. Whoever asks for a Task that is not in it is told nothing that helps. */
export const script =
  ({ agents, tasks }: Team): Script =>
  (asked) => {
    if (asked.tools.includes("propose_plan")) return planOf(tasks)
    const title = titleOf(asked) ?? ""
    const turns = Object.entries(agents).find(([begin]) => title.startsWith(begin))?.[1] ?? []
    return turns[Math.min(turnOf(asked), turns.length - 1)] ?? calls("give_up", { reason: `nobody works ${title}` })
  }

export const write = (path: string, text: string): Turn => calls("write", { path, text })
export const done: Turn = calls("done", { message: "done" })

/** The options of a server that asks a provider; each tier has a model of its own. */
export const environmentOf = (provider: Pick<ScriptedProvider, "url">): Readonly<Record<string, string>> => ({
  PAWL_MODEL_URL: provider.url,
  PAWL_MODEL_KEY: ChangeFlow.modelKey,
  PAWL_MODEL_FAST: "small",
  PAWL_MODEL_BALANCED: "medium",
  PAWL_MODEL_STRONG: "large",
  PAWL_MODEL_PRICES: "fast=1/0.1/2,balanced=1/0.1/2,strong=1/0.1/2"
})
