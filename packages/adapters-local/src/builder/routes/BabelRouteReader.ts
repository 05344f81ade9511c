/**
 * Finds added routes by parsing, with the parser that builds have. Code is parsed in a process of its own, bounded in
 * time and memory and killed afterwards; where no line that could name a path differs, none is started.
 */
import type { ChildProcess } from "node:child_process"
import { Limits } from "@pawl/core/primitives/Limits"
import { RouteReader, RouteReaderUnavailable, type SourceFiles } from "@pawl/core/release/RouteReader"
import { textOf } from "@pawl/core/primitives/Utf8"
import { Effect, Layer, Option, Schema, Semaphore } from "effect"
import { LocalLimits } from "../../LocalLimits.ts"
import { killBounded, ownProgram, startBounded } from "../../OwnProgram.ts"
import { type AppSettings, appSettings } from "../settings/AppSettings.ts"
import { type CodeTree, RouteAnswer, type RouteOrder } from "./RouteMessages.ts"
import { pageRoutes } from "./RoutePages.ts"

const program = ownProgram(import.meta.url, "RouteProcess")

const isRead = (path: string): boolean =>
  /(?:\.[cm]?[jt]sx?|(?:^|\/)package\.json)$/.test(path) && !/(?:^|\/)node_modules\//.test(path)

/** The settings of a tree; null for one that has none that could be served. */
const settingsOf = (files: SourceFiles): AppSettings | null => {
  const read = appSettings(files)
  return read._tag === "Settings" ? read.settings : null
}

/** What is served to anyone is no code of the app, however much of it there is. */
const codeOf = (files: SourceFiles, settings: AppSettings | null): CodeTree => {
  const main = settings?.main ?? null
  const assets = settings?.assets.directory ?? null
  const isCode = (path: string) => isRead(path) && (assets === null || path === main || !path.startsWith(`${assets}/`))
  const read = main === null ? [] : [...files].filter(([path]) => isCode(path))
  return { main, files: new Map(read.map(([path, { content }]) => [path, content])) }
}

/** The lines of a file that hold a text which could be a path: as long as these are the same, so are its routes. */
const tellingLines = (content: Uint8Array = new Uint8Array()): string =>
  (textOf(content).match(/^.*["'`](?:[A-Z]{1,10} )?\/.*$/gm) ?? []).join("\n")

/** Whether one tree may have routes that the other has not. Files are compared before anything of them is read. */
const mayDiffer = (before: CodeTree, after: CodeTree): boolean =>
  before.main !== after.main ||
  [...new Set([...before.files.keys(), ...after.files.keys()])].some((path) => {
    const [old, own] = [before.files.get(path), after.files.get(path)]
    if (old !== undefined && own !== undefined && Buffer.compare(old, own) === 0) return false
    return tellingLines(old) !== tellingLines(own)
  })

const start = (): ChildProcess =>
  startBounded(program, { dataBytes: LocalLimits.buildMemoryBytes, heapBytes: LocalLimits.routesHeapBytes })

/** What a child answers; none when it died, or said something else. */
const answerOf = (child: ChildProcess, order: RouteOrder) =>
  Effect.callback<Option.Option<RouteAnswer>, RouteReaderUnavailable>((resume) => {
    child.once("error", (error) => resume(new RouteReaderUnavailable({ reason: error.message })))
    child.once("exit", () => resume(Effect.succeedNone))
    child.once("message", (message: unknown) =>
      resume(Effect.succeed(Schema.decodeUnknownOption(RouteAnswer)(message)))
    )
    // An order that cannot be sent has no one to take it: `exit` follows.
    child.send(order, () => undefined)
  })

const none: RouteAnswer = [[], []]

/** Parses two trees; none when that does not end. */
type Parsing = (order: RouteOrder) => Effect.Effect<Option.Option<RouteAnswer>, RouteReaderUnavailable>

const inProcess: Parsing = (order) =>
  Effect.acquireUseRelease(
    Effect.sync(start),
    (child) =>
      answerOf(child, order).pipe(
        Effect.timeoutOrElse({ duration: LocalLimits.routesMs, orElse: () => Effect.succeedNone })
      ),
    (child) => Effect.sync(() => killBounded(child))
  )

const bounds = { files: LocalLimits.buildSourceFiles, parseCharacters: LocalLimits.buildAuthParseCharacters }

/** The routes of the code of both trees. Code that no parser ends with names none. */
const parsed = (parsing: Parsing, trees: ReadonlyArray<CodeTree>) =>
  parsing({ trees, bounds }).pipe(
    Effect.tap((answer) =>
      Option.isNone(answer)
        ? Effect.logWarning("routes not read: the parser did not finish with this source")
        : Effect.void
    ),
    Effect.map(Option.getOrElse(() => none))
  )

const added = Effect.fnUntraced(function* (parsing: Parsing, before: SourceFiles, after: SourceFiles) {
  const settings = [settingsOf(before), settingsOf(after)] as const
  const trees = [codeOf(before, settings[0]), codeOf(after, settings[1])] as const
  const [codeBefore = [], codeAfter = []] = mayDiffer(trees[0], trees[1]) ? yield* parsed(parsing, trees) : none
  const pages = (files: SourceFiles, of: AppSettings | null) => (of === null ? [] : pageRoutes(files, of))
  const known = new Set([...codeBefore, ...pages(before, settings[0])])
  const found = new Set([...codeAfter, ...pages(after, settings[1])])
  return [...found].filter((route) => !known.has(route)).slice(0, Limits.addedRoutes)
}, Effect.withSpan("BabelRouteReader.added"))

/** Reads with another way to parse, where whoever wrote the code is trusted. */
export const layerWith = (parsing: Parsing): Layer.Layer<RouteReader> =>
  Layer.effect(
    RouteReader,
    Effect.map(Semaphore.make(LocalLimits.routesAtOnce), (slots) => ({
      added: (before, after) => slots.withPermits(1)(added(parsing, before, after))
    }))
  )

/** One process at a time: a release waits for another one's at most as long as that may take. */
export const layer: Layer.Layer<RouteReader> = layerWith(inProcess)
