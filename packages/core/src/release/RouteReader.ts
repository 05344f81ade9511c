/** Finds by its source which paths an app answers. Code is parsed, so this is outside the core. */
import { Context, type Effect, Schema } from "effect"

/** The files of a tree, by path. */
export type SourceFiles = ReadonlyMap<string, { readonly content: Uint8Array }>

/** The reader itself failed: its process could not start. Try again. */
export class RouteReaderUnavailable extends Schema.TaggedError<RouteReaderUnavailable>()("RouteReaderUnavailable", {
  reason: Schema.String
}) {
  override get message() {
    return `The reader of routes could not run: ${this.reason}`
  }
}

/** Whether a file can have a part in which paths an app answers: its code, its pages, its settings. */
export const tellsRoutes = (path: string): boolean =>
  /\.(?:[cm]?[jt]sx?|html?)$/i.test(path) ||
  /(?:^|\/)(?:wrangler\.(?:jsonc?|toml)|_redirects|\.assetsignore)$/.test(path)

/** What it finds is probed after a release, and nothing else hangs on it. */
export class RouteReader extends Context.Service<
  RouteReader,
  {
    /**
     * The static paths at which the app of `after` answers GET and the app of `before` does not, as far as their sources
     * tell: first those of code in the order of the source, then those of static pages; each once, at most
     * `Limits.addedRoutes`. Anyone may have written the sources: what cannot be read, or takes too long, names none.
     */
    readonly added: (
      before: SourceFiles,
      after: SourceFiles
    ) => Effect.Effect<ReadonlyArray<string>, RouteReaderUnavailable>
  }
>()("@pawl/core/release/RouteReader") {}
