/** Whether something is done with a Candidate. */

const statuses: ReadonlySet<string> = new Set(["composing", "composed", "verifying"])

/** Whether it is composed or checked now, so that its status moves by itself. */
export const isWorkedOn = (status: string): boolean => statuses.has(status)
