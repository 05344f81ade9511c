/** The signed statements of a Project, as its server hands them out. */
import type { ServerProcess } from "./ServerProcess.ts"
import { token } from "./ServerProcess.ts"

/** What a payload says. */
export interface Said {
  readonly kind: string
  readonly subject: ReadonlyArray<{ readonly name: string; readonly digest: Readonly<Record<string, string>> }>
  readonly predicate: Readonly<Record<string, unknown>>
}

/** The statement of one envelope. */
export const saidIn = (envelope: string): Said => {
  const { payload } = JSON.parse(envelope) as { readonly payload: string }
  const { predicate, predicateType, subject } = JSON.parse(Buffer.from(payload, "base64").toString()) as Said & {
    readonly predicateType: string
  }
  return { kind: predicateType.split(":").at(-2) ?? "", predicate, subject }
}

/** All that are signed by now, in order. */
export const signedStatements = async (
  { origin }: Pick<ServerProcess, "origin">,
  projectId: string
): Promise<ReadonlyArray<Said>> => {
  const all: Array<Said> = []
  for (;;) {
    const after = all.length === 0 ? "" : `?after=${all.length - 1}`
    const answer = await fetch(`${origin}/v1/projects/${projectId}/statements${after}`, {
      headers: { authorization: `Bearer ${token}` }
    })
    const lines = (await answer.text()).split("\n").filter((line) => line !== "")
    if (!answer.ok) throw new Error(`statements: ${answer.status} ${lines.join(" ")}`)
    if (lines.length === 0) return all
    all.push(...lines.map(saidIn))
  }
}
