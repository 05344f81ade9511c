/**
 * Kills the real server at every place that a story passes, starts it again on the same folder, and lets a judge look.
 * The story is told once, stage by stage, with a copy of the data folder between them: a server that is to be killed
 * begins with the copy before its stage, and not with the whole story.
 */
import { cpSync, existsSync, readFileSync, rmSync } from "node:fs"
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

/** Options of a server, and the end of what they name. */
export interface Beside {
  readonly environment: Readonly<Record<string, string>>
  readonly remove: () => Promise<void>
}

const nothing: Beside = { environment: {}, remove: async () => undefined }

/** What is told of one story: where it begins, how a client drives it to its end, and what must be so then. */
export interface Story<Prepared extends { readonly folder: string }, Client> {
  readonly prepared: Prepared
  /** What a client has learned so far. A request whose answer it never got, it sends again. It is plain data. */
  readonly newClient: () => Client
  /**
   * Which way the story goes differs from run to run: each write is a place of its own, told by its number. A run that ends
   * before that number is killed at its end.
   */
  readonly numbered?: true
  /** What a server on a copy of the folder has beside it, such as a copy of a database. Only of a story of one stage. */
  readonly beside?: () => Promise<Beside>
  /** How many crashes are tried at a time; default: 2. */
  readonly atOnce?: number
  /** One after the other they drive the story to its end. A stage is driven again by who lost the server in it. */
  readonly stages: ReadonlyArray<(server: ServerProcess, prepared: Prepared, client: Client) => Promise<void>>
  /** Looks when all is done. `before` and `after` are the places passed before the crash and after it. */
  readonly judge: (
    server: ServerProcess,
    prepared: Prepared,
    client: Client,
    places: { readonly before: ReadonlyArray<string>; readonly after: () => ReadonlyArray<string> }
  ) => Promise<void>
}

/** Where a stage of a story begins, and what a run of it without a crash passed. */
interface Station<Client> {
  readonly folder: string
  readonly client: Client
  readonly passed: ReadonlyArray<string>
}

export interface Recording<Prepared extends { readonly folder: string }, Client> {
  readonly story: Story<Prepared, Client>
  readonly stations: ReadonlyArray<Station<Client>>
}

/** A place, and the stage in which it is passed first. */
export interface Place {
  readonly name: string
  readonly stage: number
}

/** What a server of a story is started with, and the end of that. */
const surroundings = async ({
  beside,
  numbered
}: Pick<Story<never, never>, "beside" | "numbered">): Promise<Beside> => {
  const { environment, remove } = await (beside ?? (async () => nothing))()
  return { environment: { ...environment, ...(numbered === undefined ? {} : { PAWL_CRASH_NUMBERED: "yes" }) }, remove }
}

/** Starts the server that kills itself where its environment says. */
export const crashing = (data: string, environment: Readonly<Record<string, string>>) =>
  startServer({ data, program, environment })

/** The places that stand in a file, in the order in which they were passed. */
export const passedIn = (path: string): ReadonlyArray<string> =>
  existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : []

/** A copy of the folder of a server that has ended. */
const copied = (folder: string): { readonly base: string; readonly data: string } => {
  const base = newFolder()
  cpSync(folder, join(base, "data"), { recursive: true })
  return { base, data: join(base, "data") }
}

/** Tells the story without a crash. Between its stages the server is stopped. */
export const record = async <P extends { readonly folder: string }, C>(
  story: Story<P, C>
): Promise<Recording<P, C>> => {
  const stations: Array<Station<C>> = []
  const client = story.newClient()
  let { folder } = story.prepared
  for (const [index, stage] of story.stages.entries()) {
    const { base, data } = copied(folder)
    const learned = structuredClone(client)
    const { environment, remove } = await surroundings(story)
    const server = await crashing(data, { ...environment, PAWL_CRASH_RECORD: join(base, "places") })
    await stage(server, story.prepared, client)
    expect([index, await server.stop()]).toEqual([index, 0])
    await remove()
    stations.push({ folder, client: learned, passed: passedIn(join(base, "places")) })
    folder = data
  }
  return { story, stations }
}

/** Every place of a recording, in its order, each once. */
export const placesOf = <P extends { readonly folder: string }, C>({
  stations
}: Recording<P, C>): ReadonlyArray<Place> => {
  const all = stations.flatMap(({ passed }, stage) => passed.map((name) => ({ name, stage })))
  return all.filter(({ name }, index) => all.findIndex((place) => place.name === name) === index)
}

const crashAt = async <P extends { readonly folder: string }, C>(
  { stations, story }: Recording<P, C>,
  { name, stage }: Place
) => {
  const station = stations[stage]
  if (station === undefined) throw new Error(`no stage ${stage}`)
  const { base, data } = copied(station.folder)
  const [before, after] = [join(base, "before"), join(base, "after")]
  const isNumbered = story.numbered === true
  const at = isNumbered ? name.slice(0, name.indexOf(" ")) : name
  const { environment, remove } = await surroundings(story)
  const victim = await crashing(data, { ...environment, PAWL_CRASH_AT: at, PAWL_CRASH_RECORD: before })
  // The client loses its connection, or sees nothing and waits: either way the process is gone.
  const client = structuredClone(station.client)
  const driven = story.stages[stage]?.(victim, story.prepared, client).catch(() => undefined)
  // A run that goes another way than the recorded one and never comes to the place ends all the same, and says so.
  void driven?.then(() => victim.stop(isNumbered ? "SIGKILL" : "SIGTERM"))
  expect(await victim.ended, `killed at ${name} of stage ${stage}`).toBe("SIGKILL")
  if (!isNumbered) expect(passedIn(before).at(-1)).toBe(name)
  const next = await crashing(data, { ...environment, PAWL_CRASH_RECORD: after })
  for (const rest of story.stages.slice(stage)) await rest(next, story.prepared, client)
  const earlier = stations.slice(0, stage).flatMap(({ passed }) => passed)
  await story.judge(next, story.prepared, client, {
    before: [...earlier, ...passedIn(before)],
    after: () => passedIn(after)
  })
  expect(await next.stop()).toBe(0)
  await remove()
  rmSync(base, { recursive: true, force: true })
}

/** Crashes at each of these places, some at a time, and answers what went wrong. `PAWL_CRASH_ONLY` picks some. */
export const crashAtEach = async <P extends { readonly folder: string }, C>(
  recording: Recording<P, C>,
  places: ReadonlyArray<Place>
): Promise<ReadonlyArray<string>> => {
  const only = process.env["PAWL_CRASH_ONLY"]
  const waiting = places.filter(({ name }) => only === undefined || name.includes(only))
  const failures: Array<string> = []
  const runner = async () => {
    for (let place = waiting.shift(); place !== undefined; place = waiting.shift()) {
      const { name } = place
      await crashAt(recording, place).catch((error: unknown) =>
        failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
      )
    }
  }
  await Promise.all(Array.from({ length: recording.story.atOnce ?? 2 }, runner))
  return failures
}
