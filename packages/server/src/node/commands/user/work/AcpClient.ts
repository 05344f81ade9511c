/** What an agent may ask of this command over the Agent Client Protocol: files of its folder, and leave to do something. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import type * as Acp from "@agentclientprotocol/sdk"
import type { ClientApp, PermissionOption, RequestPermissionRequest } from "@agentclientprotocol/sdk"
import { ServerLimits } from "../../../../ServerLimits.ts"
import { isReadable, isWritable } from "./FolderReach.ts"

/** The library, which is read when an agent is started. */
type Sdk = typeof Acp

/** What the answers are given for. */
export interface Reach {
  readonly folder: string
  /** Whether it may also do what cannot be seen to stay in the folder, such as running commands. */
  readonly allowsCommands: boolean
  /** Told each piece of what the agent says to its reader. */
  readonly onText: (piece: string) => void
}

const changing = new Set(["edit", "delete", "move"])
const harmlessKinds = new Set(["read", "edit", "delete", "move", "search", "think"])

/** Whether what the agent asks leave for stays in its folder. What names no place there is taken for a command. */
const isWithin = ({ toolCall }: RequestPermissionRequest, { allowsCommands, folder }: Reach): boolean => {
  const kind = toolCall.kind ?? "other"
  const places = (toolCall.locations ?? []).map(({ path }) => path)
  const fits = places.every((path) => (changing.has(kind) ? isWritable(folder, path) : isReadable(folder, path)))
  if (!fits) return false
  if (kind === "think") return true
  return harmlessKinds.has(kind) && places.length > 0 ? true : allowsCommands
}

const chosen = (options: ReadonlyArray<PermissionOption>, kinds: ReadonlyArray<PermissionOption["kind"]>) =>
  kinds.flatMap((kind) => options.filter((option) => option.kind === kind))[0]

/** The answer to who asks for leave. Nothing is allowed for good: what comes next is looked at too. */
const decision = (asked: RequestPermissionRequest, reach: Reach) => {
  const kinds = isWithin(asked, reach)
    ? (["allow_once", "allow_always"] as const)
    : (["reject_once", "reject_always"] as const)
  const option = chosen(asked.options, kinds)
  return option === undefined
    ? { outcome: { outcome: "cancelled" as const } }
    : { outcome: { outcome: "selected" as const, optionId: option.optionId } }
}

const linesOf = (text: string, line: number | null | undefined, limit: number | null | undefined): string => {
  if (line == null && limit == null) return text
  const from = Math.max(0, (line ?? 1) - 1)
  return text
    .split("\n")
    .slice(from, limit == null ? undefined : from + limit)
    .join("\n")
}

/** The client's side of the protocol, for one folder. */
export const acpClient = (sdk: Sdk, reach: Reach): ClientApp => {
  const { folder } = reach
  const refuse = (path: string, why: string): never => {
    throw sdk.RequestError.invalidParams({ path }, why)
  }
  return sdk
    .client({ name: "pawl" })
    .onRequest("fs/read_text_file", ({ params: { limit, line, path } }) => {
      if (!isReadable(folder, path)) refuse(path, "this path is outside of the folder of the Task")
      const place = resolve(folder, path)
      const found = statSync(place, { throwIfNoEntry: false })
      if (found?.isFile() !== true) return refuse(path, "there is no such file")
      if (found.size > ServerLimits.workFileBytes) return refuse(path, "the file is too large to be read as text")
      return { content: linesOf(readFileSync(place, "utf8"), line, limit) }
    })
    .onRequest("fs/write_text_file", ({ params: { content, path } }) => {
      if (!isWritable(folder, path)) refuse(path, "this path is not among the files of the Task")
      const place = resolve(folder, path)
      mkdirSync(dirname(place), { recursive: true })
      writeFileSync(place, content)
      return {}
    })
    .onRequest("session/request_permission", ({ params }) => decision(params, reach))
    .onNotification("session/update", ({ params: { update } }) => {
      if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text")
        reach.onText(update.content.text)
    })
}
