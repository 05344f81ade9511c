/** The names of refs that people's clones know. */

/** The ref of canonical. */
export const mainRef = "refs/heads/main"
const changeRefs = "refs/changes/"
const taskRefs = "refs/tasks/"
const candidateRefs = "refs/pawl/candidates/"

/** Where a Change is pushed to, and where one's own newest ChangeSet of it is fetched from. */
export const refOfChange = (changeId: string): string => `${changeRefs}${changeId}`

/** Where the commit of a Candidate is fetched from. */
export const refOfCandidate = (candidateId: string): string => `${candidateRefs}${candidateId}`

/** The Change that a ref names; `undefined` of any other ref. */
export const changeOfRef = (ref: string): string | undefined => {
  const id = ref.startsWith(changeRefs) ? ref.slice(changeRefs.length) : ""
  return /^chg_[0-9a-f-]{36}$/.test(id) ? id : undefined
}

/** Where what the work on a Task begins with is fetched from. */
export const baseRefOfTask = (taskId: string): string => `${taskRefs}${taskId}/base`

/** Whether a ref is one of Tasks. */
export const isTaskRef = (ref: string): boolean => ref.startsWith(taskRefs)
