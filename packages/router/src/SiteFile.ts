/** A file of an app version, with what every response of it repeats: made when it is first asked for, then kept. */
import type { Headers } from "@pawl/core/app/AppRuntime"
import { type AssetEntry, assetKey } from "@pawl/core/bundle/Bundle"

/** A file of a version: where it lies, and its validators and headers. */
export class SiteFile {
  readonly entry: AssetEntry
  /** Begins with a slash. */
  readonly path: string
  readonly #prefix: string
  #validators: Headers | null = null
  #whole: Headers | null = null
  #cacheKey: string | null = null

  constructor(prefix: string, path: string, entry: AssetEntry) {
    this.#prefix = prefix
    this.path = path
    this.entry = entry
  }

  /** Its strong validator, in quotes: the SHA-256 of its bytes. */
  get etag(): string {
    return this.validators[0]![1]
  }
  /** Where its bytes are in the object store. */
  get key(): string {
    return assetKey(this.#prefix, this.path.slice(1))
  }
  /** Its name in the cache of bytes: other bytes at the same key are another entry. */
  get cacheKey(): string {
    return (this.#cacheKey ??= `${this.entry.sha256} ${this.key}`)
  }
  /** What a 304 says. */
  get validators(): Headers {
    return (this.#validators ??= [
      ["etag", `"${this.entry.sha256}"`],
      ["cache-control", "public, max-age=0, must-revalidate"]
    ])
  }
  /** What the whole file is sent with. */
  get whole(): Headers {
    return (this.#whole ??= [
      ...this.validators,
      ["content-type", this.entry.contentType],
      ["content-length", String(this.entry.size)],
      ["accept-ranges", "bytes"]
    ])
  }
}
