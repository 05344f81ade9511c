/** Which object a request of the API belongs to: read off its path, before anybody is asked. */
import { gitPath } from "../git/GitPath.ts"
import { reservedKinds } from "@pawl/adapters-cloudflare/directory/Scopes"

/** Where a request goes. */
export type Place =
  | { readonly _tag: "Directory" }
  | { readonly _tag: "Project"; readonly id: string }
  /** A Project that is to be made. */
  | { readonly _tag: "NewProject" }
  /** The Project of a record, which the directory knows. */
  | { readonly _tag: "Record"; readonly kind: string; readonly id: string }

const words: Readonly<Record<string, string>> = { ...reservedKinds, "dead-letters": "deadLetter" }

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The place of a request. What is no path of a Project is the directory's, which says so where there is none. */
export const placeOf = (method: string, path: string): Place => {
  const git = gitPath(path)
  if (git !== null) return { _tag: "Project", id: git.projectId }
  const [, , word = "", part] = path.split("/")
  if (word === "projects" && part === undefined && method === "POST") return { _tag: "NewProject" }
  if (!path.startsWith("/v1/") || part === undefined || part === "") return { _tag: "Directory" }
  const id = decoded(part)
  if (word === "projects") return { _tag: "Project", id }
  const kind = Object.hasOwn(words, word) ? words[word] : undefined
  return kind === undefined ? { _tag: "Directory" } : { _tag: "Record", kind, id }
}

/**
 * Whether a request asks for a promotion: those go to the integration script, and no other script is answered. The lane
 * lands by commands of the Project's own object.
 */
export const isPromotion = (method: string, path: string): boolean =>
  method === "POST" && /^\/v1\/candidates\/[^/]+\/promote\/?$/.test(path)

/** Says which object a request is for, between our scripts. What a caller writes there is never read. */
const objectHeader = "pawl-object"

/** The request, for the object of a Project, or (null) for the directory. */
export const sentTo = (projectId: string | null, request: Request): Request => {
  const headers = new Headers(request.headers)
  if (projectId === null) headers.delete(objectHeader)
  else headers.set(objectHeader, projectId)
  return new Request(request, { headers })
}

/** The Project whose object a request is for; null: the directory. */
export const projectOf = (request: Request): string | null => request.headers.get(objectHeader)
