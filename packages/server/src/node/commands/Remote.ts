/** A running Pawl, as the commands that ask one speak to it: where it is, and with which token. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Flag from "effect/cli/Flag"
import { Console, Context, Data, Effect, Option, Redacted } from "effect"
import { makeClient, type PawlClient } from "../../api/Client.ts"
import { Problem } from "../../api/Problem.ts"
import { failureDocument, jsonDocument } from "./JsonDocument.ts"

/** The command could not ask, or was refused. */
export class CannotAsk extends Data.TaggedError("CannotAsk")<{
  readonly reason: string
  /** What a server or the stores refused it by. */
  readonly code?: string
}> {
  override get message() {
    return this.reason
  }
}

/** The options of every command that asks a server. */
export const remoteOptions = {
  url: Flag.String("url").pipe(
    Flag.optional,
    Flag.withDescription("the address of the API (PAWL_URL, else http://127.0.0.1 and PAWL_PORT, 8787)")
  ),
  token: Flag.Redacted("token").pipe(
    Flag.optional,
    Flag.withDescription("an API token (PAWL_TOKEN, else the owner token in the data folder)")
  ),
  data: Flag.String("data").pipe(
    Flag.optional,
    Flag.withDescription("the data folder whose owner token is used (PAWL_DATA, .pawl)")
  )
}

/** As given on the command line; the environment fills in what is missing. */
export interface RemoteOptions {
  readonly url: Option.Option<string>
  readonly token: Option.Option<Redacted.Redacted>
  readonly data: Option.Option<string>
}

/** The environment that fills in what is missing. */
type Environment = Readonly<Record<string, string | undefined>>

/** The address of the API. */
export const addressOf = (options: Pick<RemoteOptions, "url">, environment: Environment = process.env): string =>
  Option.getOrElse(
    options.url,
    () => environment["PAWL_URL"] ?? `http://127.0.0.1:${environment["PAWL_PORT"] ?? "8787"}`
  )

/** The token that is asked with; without any, where one would be looked for. */
export const tokenOf = (
  options: RemoteOptions,
  environment: Environment
): Effect.Effect<Redacted.Redacted, CannotAsk> => {
  const given = Option.getOrElse(options.token, () => Redacted.make(environment["PAWL_TOKEN"] ?? ""))
  if (Redacted.value(given) !== "") return Effect.succeed(given)
  const path = join(
    Option.getOrElse(options.data, () => environment["PAWL_DATA"] ?? ".pawl"),
    "owner-token"
  )
  return Effect.try({
    try: () => Redacted.make(readFileSync(path, "utf8").trim()),
    catch: () => new CannotAsk({ reason: `no token: give --token, set PAWL_TOKEN, or run it where ${path} is` })
  })
}

/** In words; an answer that is not Pawl's says that nothing of it listens there. */
const reasonOf = (error: unknown, address: string): string => {
  if (error instanceof Problem) return `${error.code}: ${error.detail}`
  return `${address} does not answer as Pawl does: ${error instanceof Error ? error.message : String(error)}`
}

/** The code of what was refused. */
export const codeOf = (error: unknown): { readonly code?: string } =>
  error instanceof Problem ? { code: error.code } : {}

/** Asks the server that the options name; whatever stands in the way fails with `CannotAsk`. */
export const asking = Effect.fnUntraced(function* <A, E>(
  options: RemoteOptions,
  ask: (client: PawlClient) => Effect.Effect<A, E>
): Effect.fn.Return<A, CannotAsk> {
  const address = addressOf(options)
  const token = yield* tokenOf(options, process.env)
  const client = yield* makeClient({ baseUrl: address, token })
  return yield* ask(client).pipe(
    Effect.mapError((error) => new CannotAsk({ reason: reasonOf(error, address), ...codeOf(error) }))
  )
})

const exitWith = (code: number) => Effect.sync(() => void (process.exitCode = code))

/** What a command says: lines for a person, and the same as JSON. */
export interface Said {
  readonly lines: ReadonlyArray<string>
  /** Default: the lines, as `said`. */
  readonly json?: object
}

/** Who hears lines on the way to an end: standard output, unless that is for one document alone. */
const Listener = Context.Reference<typeof Console.log>("@pawl/server/node/commands/Listener", {
  defaultValue: () => Console.log
})

/** Tells a line on the way to an end. */
export const telling = (line: string): Effect.Effect<void> => Effect.flatMap(Listener, (tell) => tell(line))

/** The option of every command that ends by itself. */
export const jsonOption = {
  json: Flag.Boolean("json").pipe(
    Flag.withDefault(false),
    Flag.withDescription("one JSON document on standard output, of a failure too")
  )
}

/**
 * Prints what the work says and exits with its code; with 2 when it could not ask. As JSON it is one document, with what goes
 * on from here as `next`; what could not be asked is said on standard error too. `failures`: the work writes its own JSON.
 */
export const reporting = (
  work: Effect.Effect<Said & { readonly exitCode: number }, CannotAsk>,
  isJson: boolean | "failures" = false
): Effect.Effect<void> =>
  Effect.matchEffect(isJson === true ? Effect.provideService(work, Listener, Console.error) : work, {
    onSuccess: ({ exitCode, json, lines }) => {
      const text = isJson === true ? jsonDocument({ ...(json ?? { said: lines }), next: [] }) : lines.join("\n")
      return Effect.andThen(text === "" ? Effect.void : Console.log(text), exitWith(exitCode))
    },
    onFailure: ({ code = "cannot_ask", reason }) =>
      Effect.all([
        isJson === false ? Effect.void : Console.log(failureDocument(code, reason)),
        Console.error(`pawl: ${reason}`),
        exitWith(2)
      ])
  })
