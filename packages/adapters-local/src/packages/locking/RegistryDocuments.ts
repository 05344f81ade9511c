/** Asks one registry, and nobody else, for documents of packages: bounded in bytes, time and how many at once. */
import { LocalLimits } from "../../LocalLimits.ts"
import { problem, Refusal } from "./LockInput.ts"
import type { Fields } from "./PackageFields.ts"
import { type Packument, packumentFrom } from "./Packuments.ts"
import { textOf } from "@pawl/core/primitives/Utf8"

/** The registry does not answer, or says nothing of use: try again. */
export class RegistryAway extends Error {}

/** A package that the registry does not give, as what makes locks wants to be told it. */
const missing = (name: string, status: number): Error =>
  Object.assign(new Error(`the registry gives no package ${name} (HTTP ${status})`), { code: "E404", name404: name })

const readBounded = async (name: string, response: Response): Promise<string> => {
  const tooLarge = () =>
    new Refusal([
      problem(
        "package_document_too_large",
        `What the registry says of ${name} is longer than ${LocalLimits.packumentBytes} bytes. Another package is needed.`
      )
    ])
  if (Number(response.headers.get("content-length")) > LocalLimits.packumentBytes) throw tooLarge()
  const pieces: Array<Uint8Array> = []
  let size = 0
  for await (const piece of response.body ?? []) {
    size += piece.byteLength
    if (size > LocalLimits.packumentBytes) throw tooLarge()
    pieces.push(piece)
  }
  return textOf(Buffer.concat(pieces))
}

/** Asks for one URL of the registry, following it only to itself. */
const ask = async (url: URL, name: string, authorization: string | null): Promise<Response> => {
  let at = url
  for (let hops = 0; hops <= LocalLimits.packumentRedirects; hops++) {
    const response = await fetch(at.href, {
      redirect: "manual",
      headers: { accept: "application/json", ...(authorization === null ? {} : { authorization }) },
      signal: AbortSignal.timeout(LocalLimits.packumentMs)
    })
    if (response.status < 300 || response.status > 399 || response.status === 304) return response
    await response.body?.cancel()
    const next = URL.parse(response.headers.get("location") ?? "", at.href)
    if (next?.origin !== url.origin) break
    at = next
  }
  throw new Refusal([
    problem(
      "registry_redirects",
      `The registry sends whoever asks for ${name} to another host. Only the registry itself is asked.`
    )
  ])
}

/**
 * What asks a registry; `asking` is told when the first question goes out, and when the last one is answered. `more` says
 * which fields of a version are kept besides those that every lock has.
 */
export class RegistryDocuments {
  private readonly base: URL
  private readonly asking: (asking: boolean) => void
  private readonly more: (fields: Fields) => Fields
  private readonly authorization: string | null
  private readonly known = new Map<string, Promise<Packument>>()
  private readonly waiting: Array<() => void> = []
  private asked = 0
  private bytes = 0
  /** Why the registry could not be asked for something, even where it could be done without. */
  failure: RegistryAway | Refusal | null = null

  constructor(registry: string, asking: (asking: boolean) => void, more: (fields: Fields) => Fields = () => ({})) {
    this.more = more
    this.asking = asking
    const url = new URL(registry.endsWith("/") ? registry : `${registry}/`)
    const user = decodeURIComponent(`${url.username}:${url.password}`)
    this.authorization = url.username === "" ? null : `Basic ${Buffer.from(user).toString("base64")}`
    url.username = ""
    url.password = ""
    this.base = url
  }

  of(name: string): Promise<Packument> {
    const known = this.known.get(name)
    if (known !== undefined) return known
    const asked = this.inTurn(() => this.fetched(name))
    this.known.set(name, asked)
    return asked
  }

  private async inTurn<A>(work: () => Promise<A>): Promise<A> {
    if (this.asked >= LocalLimits.packumentsAtOnce) await new Promise<void>((go) => this.waiting.push(go))
    else if (++this.asked === 1) this.asking(true)
    try {
      return await work()
    } finally {
      const next = this.waiting.shift()
      if (next !== undefined) next()
      else if (--this.asked === 0) this.asking(false)
    }
  }

  private async fetched(name: string): Promise<Packument> {
    try {
      return await this.read(name)
    } catch (error) {
      if (error instanceof Refusal) this.failure ??= error
      else if (!(error instanceof Error && "code" in error && error.code === "E404"))
        this.failure ??= error instanceof RegistryAway ? error : new RegistryAway(this.reason(name, error))
      throw error
    }
  }

  private reason(name: string, error: unknown): string {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const why = cause instanceof Error ? ("code" in cause ? String(cause.code) : cause.name) : "unknown"
    return `the registry at ${this.base.host} does not answer for ${name} (${why})`
  }

  private async read(name: string): Promise<Packument> {
    const url = new URL(name.replace("/", "%2f"), this.base)
    let response = await ask(url, name, this.authorization)
    if (response.status >= 500) {
      await response.body?.cancel()
      response = await ask(url, name, this.authorization)
    }
    const { status } = response
    if (status === 429 || status >= 500) throw new RegistryAway(`the registry answers ${status} for ${name}`)
    if (status !== 200) throw missing(name, status)
    const text = await readBounded(name, response)
    this.bytes += text.length
    if (this.bytes > LocalLimits.packumentsBytes)
      throw new Refusal([
        problem(
          "package_documents_too_large",
          `What the registry says of all packages together is longer than ${LocalLimits.packumentsBytes} characters. Fewer dependencies are needed.`
        )
      ])
    let document: unknown
    try {
      document = JSON.parse(text)
    } catch {
      document = null
    }
    const packument = packumentFrom(name, document, this.more)
    if (packument === null) throw new RegistryAway(`the registry's answer for ${name} is no document of that package`)
    return packument
  }
}
