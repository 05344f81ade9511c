/** The path of a Project's repository for git, and what git asks for below it. */

/** What every path of git's begins with. */
export const prefix = "/git/"

/** The Project of a path and what comes below its repository; null for a path that is not git's. */
export const gitPath = (path: string): { readonly projectId: string; readonly rest: string } | null => {
  const [, projectId, rest] = /^\/git\/(proj_[0-9a-f-]{36})\.git\/(.*)$/.exec(path) ?? []
  return projectId === undefined || rest === undefined ? null : { projectId, rest }
}
