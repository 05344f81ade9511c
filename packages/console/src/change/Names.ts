/** Who did something, in words: people by their names where the Project knows them. */
import { useSignedIn } from "../account/Me.ts"
import { useMemberList } from "../project/ProjectQueries.ts"
import { shortId } from "../ui/ShortId.ts"

/** `usr_…` as "you", as a name, or as itself; `system:release` as "Pawl (release)"; agents by their id. */
export const nameOf = (id: string, me: string | null, names: ReadonlyMap<string, string>): string => {
  if (id === me) return "you"
  const [, part] = /^system:(.+)$/.exec(id) ?? []
  if (part !== undefined) return `Pawl (${part.replaceAll("-", " ")})`
  return names.get(id) ?? shortId(id)
}

/** Words of the server with people's names in place of their ids. */
export const withNames = (words: string, name: (id: string) => string): string =>
  words.replace(/\busr_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, name)

/** Names of the people of a Project; what is not known of them yet is told by its id. */
export const useNames = (projectId: string): ((id: string) => string) => {
  const me = useSignedIn().data
  const members = useMemberList(projectId).data
  const names = new Map((members ?? []).map(({ name, userId }) => [userId, name]))
  return (id) => nameOf(id, me?.user.id ?? null, names)
}
