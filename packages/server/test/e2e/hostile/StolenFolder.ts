/** A server on the folder that a thief has altered: what it shows, and what it says of that. */
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer } from "../kit/ServerProcess.ts"
import { rowAt, withDatabase } from "./Loot.ts"
import type { Vault } from "./Vault.ts"

/** Waits until a server's log says it: it comes another way than the answer, and may come after it. */
export const logged = (server: ServerProcess, word: string): Promise<string> =>
  Flow.until(
    () => Promise.resolve(server.log()),
    (log) => log.includes(word)
  )

/** A server on a thief's folder, and what its host shows. */
export const servedFrom = async (vault: Vault, folder: string, mode: "enforce" | "off") => {
  const server = await startServer({ data: folder, environment: { PAWL_PROVENANCE: mode } })
  const { app } = await server.api.get<{ app: { readonly url: string } }>(`/v1/projects/${vault.project}/app`)
  const row = withDatabase(vault.folder, (database) => rowAt(database, "pawl_pointer", `${vault.project}/production`))
  // Whatever a thief has the row say of itself: people open the same address.
  const url = app.url.replace(/\/\/[^.]+/, `//${String(row["label"])}`)
  const page = async () => {
    const { status, text } = await server.api.page(url)
    return status === 200 ? text : status
  }
  return { server, page, asset: () => server.api.page(`${url}hello.txt`) }
}
