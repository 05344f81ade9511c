/** git as a child process: nothing of the machine's or of anyone's content may steer it. */
import { Data, Effect, Fiber, Stream } from "effect"
import { Limits } from "@pawl/core/primitives/Limits"
import { LocalLimits } from "../LocalLimits.ts"
import { type Child, type Program, startChild } from "../spawner/Child.ts"
import { Processes } from "../spawner/Processes.ts"
import { RepositoriesUnavailable } from "@pawl/core/project/Repositories"

/** git wrote more than the caller takes. It was stopped. */
export class TooMuchOutput extends Data.TaggedError("TooMuchOutput")<{ readonly output: Buffer }> {}

/** How a git that ran to its end left: output as far as it was kept. */
export interface GitResult {
  readonly code: number
  readonly stdout: Buffer
  /** Of standard output in all. */
  readonly sizeBytes: number
  readonly stderr: string
}

/** One call of git: its arguments without `git`, and its bounds. */
export interface GitOptions {
  readonly gitDir: string
  readonly args: ReadonlyArray<string>
  readonly stdin?: Uint8Array | string
  /** Bytes of standard output; by default what an answer of a few lines takes. */
  readonly maxBytes?: number
  /** Bytes of standard output that are kept; the rest is counted. By default all that may come. */
  readonly keepBytes?: number
  /** Default: `LocalLimits.gitTimeoutMs`. */
  readonly timeoutMs?: number
  /** Records, each ended by NUL, on standard output: git is stopped at the first piece that brings more. */
  readonly maxRecords?: number
  readonly env?: Readonly<Record<string, string>>
  /** `name=value` of git's settings, in force over the usual ones. */
  readonly settings?: ReadonlyArray<string>
  /** In a process group of its own, so that what git starts can be ended with it. */
  readonly ownGroup?: boolean
  /** The largest file that git, and what it starts, may write. It ends when one would be larger. */
  readonly maxFileBytes?: number
}

const environment: Readonly<Record<string, string>> = {
  PATH: process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
  HOME: "/nonexistent",
  LC_ALL: "C.UTF-8",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ALLOW_PROTOCOL: "",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_OPTIONAL_LOCKS: "0"
}

const settings = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "protocol.allow=never",
  "gc.auto=0",
  "core.symlinks=false",
  "safe.bareRepository=explicit",
  "core.fsync=committed,loose-object,reference",
  "core.bare=true",
  "core.quotePath=false",
  // A rename of a directory on one side must not move what the other side adds.
  "merge.directoryRenames=false"
].flatMap((setting) => ["-c", setting])

/** In which a POSIX shell counts the sizes of files. */
const shellBlockBytes = 512

/** git on a repository. Its working directory is the repository itself, which holds no one's files. */
export const programOf = (options: GitOptions): Program => {
  const { args, env, gitDir, maxFileBytes, ownGroup = false, settings: own = [] } = options
  const git = [`--git-dir=${gitDir}`, ...settings, ...own.flatMap((each) => ["-c", each]), ...args]
  const rest = { cwd: gitDir, env: { ...environment, ...env }, ownGroup }
  if (maxFileBytes === undefined) return { file: "git", args: git, ...rest }
  const blocks = String(Math.ceil(maxFileBytes / shellBlockBytes))
  return { file: "/bin/sh", args: ["-c", 'ulimit -f "$1"; shift; exec "$@"', "sh", blocks, "git", ...git], ...rest }
}

/** What git says went wrong, in one line, without this machine's paths. */
export const complaint = (stderr: string): string =>
  (stderr.trim().split("\n").at(-1) ?? "").replace(/(^|[\s'":])\/[^\s'":]*/g, "$1…").slice(0, Limits.repeatedLength)

/** A git that ended with a code that its caller did not expect; paths of this machine are taken out of what it said. */
export const failed = (args: ReadonlyArray<string>, { code, stderr }: Pick<GitResult, "code" | "stderr">) =>
  new RepositoriesUnavailable({ operation: args[0] ?? "git", reason: `exit ${code}: ${complaint(stderr)}` })

const countNuls = (piece: Buffer): number => {
  let count = 0
  for (let at = piece.indexOf(0); at >= 0; at = piece.indexOf(0, at + 1)) count++
  return count
}

const unavailable = (options: GitOptions, reason: string) =>
  new RepositoriesUnavailable({ operation: options.args[0] ?? "git", reason })

/** A git that runs; it is dead when `use` has ended. */
const started = (options: GitOptions): Effect.Effect<Child, RepositoriesUnavailable> =>
  Effect.flatMap(Processes, (start) =>
    Effect.tryPromise({
      try: () => startChild(start, programOf(options)),
      catch: (cause) => unavailable(options, cause instanceof Error ? cause.message : "it did not start")
    })
  )

const killed = (child: Child) => Effect.sync(child.kill)

type Ending = Pick<GitResult, "code" | "stderr">
type End = (how: Effect.Effect<Ending, RepositoriesUnavailable | TooMuchOutput>) => void

/** How a child ends: as it is `told`, by what `attend` decides, by its time, or by interruption. It is dead by then. */
const ending = (child: Child, options: GitOptions, told: "ended" | "closed", attend: (end: End) => void) =>
  Effect.callback<Ending, RepositoriesUnavailable | TooMuchOutput>((resume) => {
    let stderr = ""
    const end: End = (how) => {
      child.kill()
      resume(how)
    }
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (stderr.length < LocalLimits.gitErrorBytes) stderr += text
    })
    void child[told].then(({ code, signal }) =>
      end(code === null ? unavailable(options, `killed by ${signal}`) : Effect.succeed({ code, stderr }))
    )
    attend(end)
    return killed(child)
  }).pipe(
    Effect.timeoutOrElse({
      duration: options.timeoutMs ?? LocalLimits.gitTimeoutMs,
      orElse: () => Effect.fail(unavailable(options, "it took too long"))
    })
  )

// git may end before it has read all; what it exits with tells the story.
const ignoreBrokenPipe = ({ stdin }: Child) => stdin.on("error", () => undefined)

const answerOf = (child: Child, options: GitOptions) =>
  Effect.suspend(() => {
    const pieces: Array<Buffer> = []
    let [size, records] = [0, 0]
    const gather = (end: End) =>
      child.stdout.on("data", (piece: Buffer) => {
        if (size < (options.keepBytes ?? Number.POSITIVE_INFINITY)) pieces.push(piece)
        size += piece.length
        if (options.maxRecords !== undefined) records += countNuls(piece)
        if (size > (options.maxBytes ?? LocalLimits.gitErrorBytes) || records > (options.maxRecords ?? 0))
          end(new TooMuchOutput({ output: Buffer.concat(pieces) }))
      })
    ignoreBrokenPipe(child).end(options.stdin ?? "")
    return Effect.map(ending(child, options, "closed", gather), (how) => ({
      ...how,
      stdout: Buffer.concat(pieces),
      sizeBytes: size
    }))
  })

/** Runs git to its end and answers how it ended. Interruption kills it. */
export const run = (options: GitOptions): Effect.Effect<GitResult, RepositoriesUnavailable | TooMuchOutput> =>
  Effect.acquireUseRelease(started(options), (child) => answerOf(child, options), killed)

/** Runs git whose answer is short whatever it works on. */
export const short = (options: GitOptions): Effect.Effect<GitResult, RepositoriesUnavailable> =>
  Effect.catchTag(run(options), "TooMuchOutput", () => unavailable(options, "it said too much"))

/** Runs git and takes any exit but 0, and too much output, for a failure of the machine. */
export const succeed = (options: GitOptions): Effect.Effect<Buffer, RepositoriesUnavailable> =>
  Effect.flatMap(short(options), (result) =>
    result.code === 0 ? Effect.succeed(result.stdout) : failed(options.args, result)
  )

/** What git writes, as fast as it is read. Whoever leaves early ends git; any exit but 0 is a failure at the end. */
export const stream = (options: GitOptions): Stream.Stream<Buffer, RepositoriesUnavailable> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const child = yield* Effect.acquireRelease(started(options), killed)
      ignoreBrokenPipe(child).end(options.stdin ?? "")
      // At once: one that is left before its first step must be ended too.
      const ended = yield* Effect.forkScoped(
        Effect.catchTag(
          ending(child, options, "closed", () => undefined),
          "TooMuchOutput",
          () => unavailable(options, "it said too much")
        ),
        { startImmediately: true }
      )
      const judged = Effect.flatMap(Fiber.join(ended), (how) =>
        how.code === 0 ? Effect.void : failed(options.args, how)
      )
      return Stream.fromAsyncIterable<Buffer, RepositoriesUnavailable>(child.stdout, () =>
        unavailable(options, "its output broke off")
      ).pipe(Stream.concat(Stream.drain(Stream.fromEffect(judged))))
    })
  )

/** Runs one git into another, without keeping what flows between them. Both must end well, the second with one of `well`. */
export const pipe = (
  from: GitOptions,
  into: GitOptions,
  well: ReadonlyArray<number>
): Effect.Effect<void, RepositoriesUnavailable> =>
  Effect.acquireUseRelease(
    Effect.zip(started(from), started(into)),
    ([source, sink]) => {
      ignoreBrokenPipe(source).end(from.stdin ?? "")
      ignoreBrokenPipe(sink)
      // One that wrote nothing and has ended already ends nothing any more.
      if (source.stdout.readableEnded) sink.stdin.end()
      else source.stdout.pipe(sink.stdin)
      sink.stdout.resume()
      const ended = (child: Child, options: GitOptions, good: ReadonlyArray<number>) =>
        ending(child, options, "ended", () => undefined).pipe(
          Effect.catchTag("TooMuchOutput", () => unavailable(options, "it said too much")),
          Effect.flatMap((result) => (good.includes(result.code) ? Effect.void : failed(options.args, result)))
        )
      return Effect.all([ended(source, from, [0]), ended(sink, into, well)], {
        concurrency: "unbounded",
        discard: true
      })
    },
    (children) => Effect.forEach(children, killed, { discard: true })
  )
