/** What a client asks in a push: refs to move, and the pack that they need. */
import { textOf } from "@pawl/core/primitives/Utf8"
import { lineAt } from "./PktLine.ts"
import { ServerLimits } from "../ServerLimits.ts"

/** One ref that is to be moved, by ids of commits. */
export interface RefUpdate {
  /** Forty zeroes for a ref that is to be made. */
  readonly from: string
  /** Forty zeroes for a ref that is to be deleted. */
  readonly to: string
  readonly ref: string
}

/** All of a push; `pack` is not looked into. */
export interface PushRequest {
  readonly updates: ReadonlyArray<RefUpdate>
  readonly capabilities: ReadonlySet<string>
  /** Nothing where refs are only deleted. */
  readonly pack: Uint8Array
}

/** How git writes that there is no commit. */
export const zero = "0".repeat(40)
// A name that could break the lines of an answer is no name of a ref.
const updateForm = new RegExp(
  String.raw`^([0-9a-f]{40}) ([0-9a-f]{40}) (refs/[^\p{Cc} ~^:?*[\\]{1,${ServerLimits.gitRefLength}})$`,
  "u"
)

/** Reads the beginning of a push. `undefined` when it has not the form that git gives it. */
export const parsePush = (body: Uint8Array): PushRequest | undefined => {
  const updates: Array<RefUpdate> = []
  let capabilities: ReadonlySet<string> = new Set()
  let at = 0
  for (;;) {
    const read = lineAt(body, at)
    if (read === undefined) return undefined
    at = read.next
    if (read.body === null) break
    const text = textOf(read.body).replace(/\n$/, "")
    // Of a shallow clone. What it lacks canonical has: a commit that is not whole is refused when it is unpacked.
    if (updates.length === 0 && /^shallow [0-9a-f]{40}$/.test(text)) continue
    const [command = "", words] = text.split("\0", 2)
    if (updates.length === 0) capabilities = new Set((words ?? "").split(" "))
    const [, from = "", to = "", ref = ""] = updateForm.exec(command) ?? []
    if (ref === "" || updates.length >= ServerLimits.gitPushUpdates) return undefined
    updates.push({ from, to, ref })
  }
  return { updates, capabilities, pack: body.subarray(at) }
}
