/** What a running server tells of a Project: statements, key history and checkpoint. It is believed no more than a file. */
import { hash } from "node:crypto"
import { Limits } from "@pawl/core/primitives/Limits"
import { short } from "@pawl/core/primitives/ShortText"
import { exactText } from "@pawl/core/primitives/Utf8"
import type { KeptThing, Line, Material } from "@pawl/core/proof/Material"
import { Effect, Option, Schema, Stream } from "effect"
import { originOf } from "./CloneFolder.ts"
import { askHost, below } from "./HostAnswers.ts"
import { unreadable } from "./ProofFiles.ts"

const part = "the server"

/** The longest answer: a batch of statements, or all keys. */
const answerBytes = Limits.statementsPerBatch * Limits.envelopeBytes

/** What whoever asks can do where the server wants to know who he is. */
const howToAsk = (token: string | null): string =>
  token === null ? "give --token, or PAWL_TOKEN" : "it does not take this --token: it may have ended"

/** The answer as bytes; null for what is not there. */
const bytesAt = Effect.fnUntraced(function* (url: URL, token: string | null) {
  const { body, status } = yield* askHost({ url, part, token, bytes: answerBytes })
  if (status === 404) return null
  if (status === 200) return body
  if (status === 401) return yield* unreadable(part, `${url.origin} answers 401: ${howToAsk(token)}`)
  return yield* unreadable(part, `${url.href} answers ${status}: ${short(Buffer.from(body).toString())}`)
})

const ask = Effect.fnUntraced(function* (address: string, path: string, token: string | null) {
  const body = yield* bytesAt(below(address, path), token)
  if (body === null) return null
  return exactText(body) ?? (yield* unreadable(part, `${path} answers no UTF-8`))
})

const History = Schema.fromJsonString(
  Schema.Struct({ history: Schema.Array(Schema.Unknown), checkpoint: Schema.NullOr(Schema.String) })
)

const linesOf = (text: string | null): ReadonlyArray<Line> => (text ?? "").split("\n").filter((line) => line !== "")

const App = Schema.fromJsonString(
  Schema.Struct({
    app: Schema.NullOr(Schema.Struct({ url: Schema.String, generation: Schema.NullOr(Schema.Finite) }))
  })
)

/** What a server says where the app of a Project is, and which generation it serves; null for no app. */
const appOf = Effect.fnUntraced(function* (address: string, project: string, token: string | null) {
  const text = yield* ask(address, `/v1/projects/${project}/app`, token)
  return Option.getOrNull(Schema.decodeUnknownOption(App)(text))?.app ?? null
})

const Projects = Schema.fromJsonString(
  Schema.Struct({
    items: Schema.Array(Schema.Struct({ id: Schema.String, slug: Schema.String })),
    nextCursor: Schema.NullOr(Schema.String)
  })
)

/** The Projects that whoever asks sees, the first page of them; null where nothing of Pawl answers. */
export const projectsOf = Effect.fnUntraced(function* (address: string, token: string | null) {
  const answer = Schema.decodeUnknownOption(Projects)(yield* ask(address, "/v1/projects", token))
  return Option.getOrNull(
    Option.map(answer, ({ items, nextCursor }) => ({ projects: items, isCut: nextCursor !== null }))
  )
})

/** The bundle.json of the generation that is served: no other object is asked for. */
const objectOf =
  (address: string, project: string, token: string | null, generation: number): NonNullable<Material["object"]> =>
  (thing) =>
    thing.as === "bundle"
      ? Effect.map(
          bytesAt(below(address, `/v1/projects/${project}/versions/${generation}/bundle`), token),
          (bytes): KeptThing | null => {
            const sha256 = bytes === null ? "" : hash("sha256", bytes)
            return bytes === null || sha256 !== thing.sha256 ? null : { sha256, bytes: Effect.succeed(bytes) }
          }
        )
      : Effect.succeed(null)

/** Reads a Project of a server, and says where its app is. */
export const readServer = Effect.fnUntraced(function* (address: string, project: string, token: string | null) {
  const keys = Schema.decodeUnknownOption(History)((yield* ask(address, "/v1/keys", token)) ?? "")
  if (Option.isNone(keys)) return yield* unreadable(part, `${address} tells of no keys`)
  const checkpoint = yield* ask(address, `/v1/projects/${project}/checkpoint`, token)
  if (checkpoint === null)
    return yield* unreadable(
      part,
      `${project} has no checkpoint there: it is none of yours, or nothing of it is signed`
    )
  const app = yield* appOf(address, project, token)
  const generation = app?.generation ?? null
  const material: Material = {
    statements: Stream.paginate(-1, (after) =>
      Effect.map(
        ask(address, `/v1/projects/${project}/statements${after < 0 ? "" : `?after=${after}`}`, token),
        (text) => {
          const lines = linesOf(text)
          return [[lines], lines.length === 0 ? Option.none<number>() : Option.some(after + lines.length)] as const
        }
      )
    ),
    keys: Stream.succeed(keys.value.history.map((envelope) => JSON.stringify(envelope))),
    record: null,
    object: generation === null ? null : objectOf(address, project, token, generation),
    someObjects: true,
    checkpoint,
    keysCheckpoint: keys.value.checkpoint,
    seen: [],
    live: [],
    source: null,
    heads: null
  }
  // A host without a bundle has nothing to say of itself.
  return { origin: originOf(checkpoint), material, app: generation === null ? null : (app?.url ?? null) }
})
