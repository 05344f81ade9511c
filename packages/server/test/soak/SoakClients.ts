/** The clients of a soak: visitors, people who change and release, people who remove and deploy again, an attacker. */
import { Agent, request } from "node:http"
import * as Flow from "../e2e/kit/Flow.ts"
import { type ServerProcess, token } from "../e2e/kit/ServerProcess.ts"
import { answers, filesOf, paths } from "./SoakApp.ts"
import type { Answer, SoakedApp, SoakWorld } from "./SoakWorld.ts"

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** A whole page of a host; status 0 when the connection broke. */
export const visit = (port: number, url: string): Promise<Answer> =>
  new Promise((resolve) => {
    const { host, pathname } = new URL(url)
    const broken = (error: Error) => resolve({ status: 0, text: error.message })
    request({ host: "127.0.0.1", port, path: pathname, headers: { host }, agent }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece))
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }))
      response.on("error", broken)
    })
      .on("error", broken)
      .end()
  })

const anyOf = <A>(list: ReadonlyArray<A>): A => list[Math.floor(Math.random() * list.length)]!

export const visitor = async (server: ServerProcess, world: SoakWorld): Promise<void> => {
  while (!world.over) {
    const app = anyOf(world.apps)
    const path = anyOf(paths)
    const before = { editions: app.editions, epoch: app.epoch }
    const wasSteady = app.steady
    const answer = await visit(server.port, `${app.url.slice(0, -1)}${path}`)
    if (wasSteady) world.judge(app, before, path, answer)
  }
}

/** One edit, from its Change to its release, with a look at its preview and its version host. */
const release = async (server: ServerProcess, world: SoakWorld, app: SoakedApp): Promise<void> => {
  const { api } = server
  const edition = app.editions[0]! + 1
  const expect = async (url: string, what: string) => {
    const answer = await visit(server.port, `${url}who`)
    if (answer.status !== 200 || answer.text !== answers(app.slug, edition)["/who"])
      world.fail(`${what} of ${app.slug}: ${answer.status} ${answer.text.slice(0, 200)}, not edition ${edition}`)
  }
  const change = await Flow.openChange(api, app.projectId, `edition-${edition}-${app.epoch}`)
  await Flow.edit(api, change, filesOf(app.slug, edition))
  const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
  if (candidate.status !== "verified") return world.fail(`${app.slug}: ${candidate.status} ${candidate.reason}`)
  const { preview } = await api.get<{ preview: { url: string } }>(`/v1/candidates/${candidate.id}/preview`)
  await expect(preview.url, "preview")
  world.counts.previews += 1
  app.editions = [app.editions[0]!, edition]
  const { generation } = await Flow.promote(api, candidate.id)
  const { reason, status } = await Flow.released(api, app.projectId, generation)
  if (status !== "deployed") return world.fail(`${app.slug}: release ${status} ${reason}`)
  app.editions = [edition]
  app.generation = generation
  await expect(app.url.replace("//", `//v${String(generation).padStart(7, "0")}--`), "version")
  world.counts.releases += 1
}

const remove = async (server: ServerProcess, world: SoakWorld, app: SoakedApp): Promise<void> => {
  app.steady = false
  app.epoch += 1
  const path = `/v1/projects/${app.projectId}/app`
  const headers = { authorization: `Bearer ${token}` }
  const removed = await fetch(`${server.origin}${path}`, { method: "DELETE", headers })
  if (removed.status !== 202) world.fail(`removal of ${app.slug}: ${removed.status}`)
  const gone = await visit(server.port, `${app.url}who`)
  if (gone.status !== 410) world.fail(`${app.slug} is removed, but answers ${gone.status}`)
  await server.api.post(path)
  app.url = (await Flow.liveApp(server.api, app.projectId, app.generation)).url
  app.epoch += 1
  app.steady = true
  world.counts.removals += 1
}

/** Two releases for each removal, of the apps that are its own. */
export const changer = async (
  server: ServerProcess,
  world: SoakWorld,
  own: ReadonlyArray<SoakedApp>
): Promise<void> => {
  for (let turn = 1; !world.over; turn += 1) {
    const app = anyOf(own)
    await (turn % 3 === 2 ? remove(server, world, app) : release(server, world, app)).catch((error: unknown) =>
      world.fail(`${app.slug}: ${String(error)}`)
    )
  }
}

/** Asks an app to loop, again and again. It hurts itself alone. */
export const attacker = async (server: ServerProcess, world: SoakWorld, url: string): Promise<void> => {
  while (!world.over) {
    const { status } = await visit(server.port, `${url}loop`)
    if (status !== 503) world.fail(`the attacker was answered ${status}`)
    world.counts.attacks += 1
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** Creates an app of edition 0 and waits until it is live. */
export const openApp = async (server: ServerProcess, slug: string): Promise<SoakedApp> => {
  const { id } = await Flow.createProject(server.api, slug, filesOf(slug, 0))
  const { url } = await Flow.liveApp(server.api, id, 0)
  return { slug, projectId: id, url, generation: 0, editions: [0], epoch: 0, steady: true }
}
