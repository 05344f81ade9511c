/** A server whose planner is scripted, with Tasks that wait for agents outside, and people who have `pawl work`. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Provider from "@pawl/testing/provider/ScriptedProvider"
import { expect } from "vitest"
import * as ChangeFlow from "../kit/ChangeFlow.ts"
import * as Flow from "../kit/Flow.ts"
import { environmentOf, script, type TeamTask } from "../kit/ScriptedTeam.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"
import { type Doing, type UserCommand, type UserEnded, userCommand } from "../kit/UserCommand.ts"
import type { Report, Step } from "./ScriptedAgent.ts"

const clock = fileURLToPath(new URL("../../fixtures/version-3/Clock.ts", import.meta.url))
const agentFile = fileURLToPath(new URL("ScriptedAgent.ts", import.meta.url))
const quoted = (text: string): string => `'${text}'`

/** What `pawl work --json` says at its end. */
export interface Said {
  readonly code?: string
  readonly outcome?: string
  readonly taskId: string
  readonly runId: string
  readonly reason: string | null
  readonly changeset?: string | null
  readonly next: ReadonlyArray<{ readonly command: string }>
}

/** A goal whose Tasks wait. */
export interface Goal {
  readonly project: string
  readonly change: string
  readonly taskOf: (key: string) => string
}

export interface Work {
  readonly server: () => ServerProcess
  readonly user: UserCommand
  readonly ownerToken: string
  /** Starts the server anew, on the same data, with a clock that is so much ahead. */
  readonly restart: (aheadMs: number) => Promise<void>
  readonly goal: (slug: string, tasks: ReadonlyArray<TeamTask & { readonly kind?: string }>) => Promise<Goal>
  /** The command of a scripted agent, and what it saw when it ran last. */
  readonly agent: (
    name: string,
    steps: ReadonlyArray<Step>
  ) => { readonly command: string; readonly report: () => Report }
  readonly work: (goal: Goal, args: ReadonlyArray<string>, doing?: Doing) => Promise<UserEnded>
  readonly close: () => Promise<void>
}

/** Its last line of standard output, as JSON. */
export const said = ({ stdout }: UserEnded): Said => JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")

export const openWork = async (): Promise<Work> => {
  const [data, home] = [temporaryFolder(), temporaryFolder()]
  const provider = await Provider.open(script({ tasks: [], agents: {} }))
  const start = (aheadMs: number) =>
    startServer({
      data: data.path,
      environment: {
        ...environmentOf(provider),
        NODE_OPTIONS: `--import=${clock}`,
        PAWL_TEST_CLOCK_AHEAD_MS: String(aheadMs)
      }
    })
  let server = await start(0)
  const user = userCommand(home.path)
  return {
    server: () => server,
    user,
    ownerToken: token,
    restart: async (aheadMs) => {
      await server.stop()
      server = await start(aheadMs)
    },
    goal: async (slug, tasks) => {
      provider.follow(script({ tasks, agents: {} }))
      const { id: project } = await Flow.createProject(server.api, slug)
      await Flow.liveApp(server.api, project, 0)
      await server.api.put(`/v1/projects/${project}/policy`, { outsideAgents: "only" })
      const { id: change } = await ChangeFlow.openGoal(server.api, project, `Goal of ${slug}`)
      await ChangeFlow.changeWhen(server.api, change, ({ status }) => status === "running")
      return { project, change, taskOf: (key) => `tsk_${change}_${key}` }
    },
    agent: (name, steps) => {
      const [stepsFile, reportFile] = [join(home.path, `${name}.json`), join(home.path, `${name}.report.json`)]
      writeFileSync(stepsFile, JSON.stringify(steps))
      const command = [process.execPath, agentFile, stepsFile, reportFile].map(quoted).join(" ")
      return { command, report: () => JSON.parse(readFileSync(reportFile, "utf8")) as Report }
    },
    work: async (goal, args, doing = {}) => {
      const environment = {
        PAWL_URL: server.origin,
        PAWL_TOKEN: token,
        PAWL_PROJECT: goal.project,
        XDG_CACHE_HOME: join(home.path, "cache"),
        ...doing.environment
      }
      return user.run(["work", ...args], { ...doing, environment })
    },
    close: async () => {
      await server.stop()
      await provider.close()
      data.remove()
      home.remove()
    }
  }
}

/** Its Candidate is verified, promoted, and served. */
export const goesLive = async (server: ServerProcess, { change, project }: Goal) => {
  const candidate = await ChangeFlow.verifiedOf(server.api, change)
  expect(await Flow.promote(server.api, candidate.id)).toMatchObject({ outcome: "promoted", generation: 1 })
  return Flow.liveApp(server.api, project, 1)
}

/** A Task as it is now. */
export const taskNow = async (server: ServerProcess, id: string) =>
  (await server.api.get<{ task: ChangeFlow.TaskRow }>(`/v1/tasks/${id}`)).task
