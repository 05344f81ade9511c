/** Kills the real server at every place that a story passes, starts it again on the same folder, and lets a judge look. */
import { cpSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"
import { type ServerProcess, startServer, temporaryFolder } from "../e2e/kit/ServerProcess.ts"

const program = fileURLToPath(new URL("./crash-server.ts", import.meta.url))
const folders: Array<{ readonly remove: () => void }> = []
export const newFolder = () => {
  const folder = temporaryFolder()
  folders.push(folder)
  return folder.path
}
export const removeFolders = () => {
  for (const folder of folders) folder.remove()
}

/** What is told of one story: where it begins, how a client drives it to its end, and what must be so then. */
export interface Story<Prepared extends { readonly folder: string }, Client> {
  readonly prepared: Prepared
  /** What a client has learned so far. A request whose answer it never got, it sends again. */
  readonly newClient: () => Client
  readonly drive: (server: ServerProcess, prepared: Prepared, client: Client) => Promise<void>
  /** Looks when all is done. `before` and `after` are the places passed before the crash and after it. */
  readonly judge: (
    server: ServerProcess,
    prepared: Prepared,
    client: Client,
    places: { readonly before: ReadonlyArray<string>; readonly after: () => ReadonlyArray<string> }
  ) => Promise<void>
}

const crashing = (data: string, environment: Readonly<Record<string, string>>) =>
  startServer({ data, program, environment })

const lines = (path: string): ReadonlyArray<string> =>
  existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : []

/** Every place that a run without a crash passes. */
export const recordPlaces = async <P extends { readonly folder: string }, C>(
  story: Story<P, C>
): Promise<ReadonlyArray<string>> => {
  const base = newFolder()
  cpSync(story.prepared.folder, join(base, "data"), { recursive: true })
  const record = join(base, "places")
  const server = await crashing(join(base, "data"), { PAWL_CRASH_RECORD: record })
  await story.drive(server, story.prepared, story.newClient())
  await server.stop()
  return lines(record)
}

const crashAt = async <P extends { readonly folder: string }, C>(story: Story<P, C>, place: string) => {
  const base = newFolder()
  const data = join(base, "data")
  cpSync(story.prepared.folder, data, { recursive: true })
  const [before, after] = [join(base, "before"), join(base, "after")]
  const victim = await crashing(data, { PAWL_CRASH_AT: place, PAWL_CRASH_RECORD: before })
  // The client loses its connection, or sees nothing and waits: either way the process is gone.
  const client = story.newClient()
  void story.drive(victim, story.prepared, client).catch(() => undefined)
  expect(await victim.ended).toBe("SIGKILL")
  expect(lines(before).at(-1)).toBe(place)
  const next = await crashing(data, { PAWL_CRASH_RECORD: after })
  await story.drive(next, story.prepared, client)
  await story.judge(next, story.prepared, client, { before: lines(before), after: () => lines(after) })
  expect(await next.stop()).toBe(0)
}

/** Crashes at each of these places, two at a time, and answers what went wrong. `PAWL_CRASH_ONLY` picks some. */
export const crashAtEach = async <P extends { readonly folder: string }, C>(
  story: Story<P, C>,
  places: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  const only = process.env["PAWL_CRASH_ONLY"]
  const waiting = places.filter((place) => only === undefined || place.includes(only))
  const failures: Array<string> = []
  const runner = async () => {
    for (let place = waiting.shift(); place !== undefined; place = waiting.shift())
      await crashAt(story, place).catch((error: unknown) =>
        failures.push(`${place}: ${error instanceof Error ? error.message : String(error)}`)
      )
  }
  await Promise.all([runner(), runner()])
  return failures
}
