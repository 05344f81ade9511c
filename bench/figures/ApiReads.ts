/** Reads of the API from a real server, beside a bare Node server that answers the same bytes. */
import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import { request } from "node:http"
import { join } from "node:path"
import * as Flow from "../../packages/server/test/e2e/kit/Flow.ts"
import { startServer, token } from "../../packages/server/test/e2e/kit/ServerProcess.ts"
import { type Bench, figure, ratioAtLeast, ratioAtMost } from "../Figure.ts"
import { withFolder } from "../parts/Folder.ts"
import * as Front from "../parts/Front.ts"
import { across, inTurn, lastly, median } from "../Rounds.ts"

const connections = 16
const loadMs = Number(process.env["PAWL_BENCH_LOAD_MS"] ?? 2000)
const changes = 100
const host = "127.0.0.1"

interface Answer {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

const answerOf = (port: number, path: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const asked = request({ host, port, path, headers: { authorization: `Bearer ${token}` } }, (res) => {
      const pieces: Array<Buffer> = []
      res.on("data", (piece: Buffer) => pieces.push(piece))
      res.on("error", reject)
      res.on("end", () => resolve({ headers: res.headers, body: Buffer.concat(pieces) }))
    })
    asked.on("error", reject)
    asked.end()
  })

/** The same bytes and headers out of memory, and nothing else. */
const bareServer = (answers: ReadonlyMap<string, Answer>): Server => {
  // Those that Node adds by itself.
  const own = new Set(["date", "connection", "keep-alive"])
  const prepared = new Map(
    [...answers].map(([path, { body, headers }]) => [
      path,
      { body, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !own.has(name))) }
    ])
  )
  return createServer((req, res) => {
    const answer = prepared.get(req.url ?? "")!
    res.writeHead(200, answer.headers)
    res.end(answer.body)
  })
}

const openChanges = async (api: Parameters<typeof Flow.openChange>[0], projectId: string) => {
  for (let n = 0; n < changes; n++) await Flow.openChange(api, projectId, `change-${n}`)
}

export const bench: Bench = ({ rounds, say }) =>
  withFolder(async (folder) => {
    say("preparing")
    const server = await startServer({ data: join(folder, "data") })
    // Whatever ends this process, the server goes with it.
    const kill = () => void server.child.kill("SIGKILL")
    process.once("exit", kill)
    const project = await Flow.createProject(server.api, "shop")
    await Flow.liveApp(server.api, project.id, 0)
    await openChanges(server.api, project.id)
    const path = { project: `/v1/projects/${project.id}`, changes: `/v1/projects/${project.id}/changes` }
    const answers = {
      project: await answerOf(server.port, path.project),
      changes: await answerOf(server.port, path.changes)
    }
    const bare = bareServer(
      new Map([
        [path.project, answers.project],
        [path.changes, answers.changes]
      ])
    )
    const barePort = await Front.listen(bare)
    const load = (port: number, at: string) => () =>
      Front.load(port, { host, path: at, token, connections, ms: loadMs })
    const sides = {
      bareProject: load(barePort, path.project),
      project: load(server.port, path.project),
      bareChanges: load(barePort, path.changes),
      changes: load(server.port, path.changes)
    }
    const runs = await lastly(inTurn<keyof typeof sides, Front.Loaded>(rounds, sides, say), async () => {
      await Front.close(bare)
      await server.stop()
      process.off("exit", kill)
    })
    const figuresOf = (name: string, ours: ReadonlyArray<Front.Loaded>, floor: ReadonlyArray<Front.Loaded>) => {
      const of = (field: "perSecond" | "p99") => ({
        value: median(ours.map((run) => run[field])),
        floor: "bare Node server, bytes in memory",
        floorValue: median(floor.map((run) => run[field])),
        ratio: across(
          ours.map((run) => run[field]),
          floor.map((run) => run[field])
        )
      })
      return [
        figure({ name, unit: "requests/s", ...of("perSecond"), target: ratioAtLeast(0.2) }),
        figure({ name: `${name}-p99`, unit: "ms", ...of("p99"), target: ratioAtMost(5) })
      ]
    }
    const told = (name: string, of: ReadonlyArray<Front.Loaded>) =>
      `${name}: p50 ${median(of.map(({ p50 }) => p50)).toFixed(2)} ms, p99 ${median(of.map(({ p99 }) => p99)).toFixed(2)} ms`
    return {
      figures: [
        ...figuresOf("api-project", runs.project, runs.bareProject),
        ...figuresOf("api-100-changes", runs.changes, runs.bareChanges)
      ],
      notes: [
        `${connections} connections for ${loadMs} ms each; answers of ${answers.project.body.length} and ${answers.changes.body.length} bytes; client and server share the machine's cores.`,
        told("a Project", runs.project),
        told("a Project, bare", runs.bareProject),
        told("100 Changes", runs.changes),
        told("100 Changes, bare", runs.bareChanges)
      ]
    }
  })
