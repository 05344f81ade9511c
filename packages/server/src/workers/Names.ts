/** Names of the objects that there is one of, or a few. */
import { ServerLimits } from "../ServerLimits.ts"

/** The directory. */
export const directoryName = "directory"

/** The one object that asks the provider of identities. */
export const identityName = "identity"

/** The object whose container runs the checks of a Project, or (null) of the directory: there are as many as containers. */
export const checksName = (projectId: string | null): string => {
  let sum = 0
  for (const unit of projectId ?? "") sum = (31 * sum + (unit.codePointAt(0) ?? 0)) % 2 ** 31
  return `checks-${sum % ServerLimits.checkContainers}`
}
