/** A commit as git writes it: one rule for every adapter, so that the same work has the same id wherever it was done. */
import type { Signature } from "@pawl/core/project/Repositories"

/** What a commit says. */
export interface CommitFields {
  readonly tree: string
  readonly parents: ReadonlyArray<string>
  readonly message: string
  readonly signature: Signature
}

// git drops these from a name by itself; done here, so that each way to make a commit makes the same one.
const plainName = (text: string): string =>
  text.replace(/[\p{Cc}<>]/gu, "").replace(/^[\s.,:;"\\']+|[\s.,:;"\\']+$/g, "") || "unknown"

const plainSignature = ({ atMs, email, name }: Signature) => ({
  name: plainName(name),
  email: plainName(email),
  seconds: Math.max(0, Math.floor(atMs / 1000))
})

/** The message as git stores it: any text but NUL. */
const plainMessage = (message: string): string => message.replaceAll("\0", "\ufffd")

/** The body of a commit in UTC whose author is its committer. */
export const commitText = ({ message, parents, signature, tree }: CommitFields): string => {
  const { email, name, seconds } = plainSignature(signature)
  const who = `${name} <${email}> ${seconds} +0000`
  const lines = parents.map((parent) => `parent ${parent}\n`).join("")
  return `tree ${tree}\n${lines}author ${who}\ncommitter ${who}\n\n${plainMessage(message)}`
}
