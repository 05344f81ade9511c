/** Where a test listens later, or lets nobody listen: a port that was found free may be somebody else's by then. */

/** A place on this machine to listen at. */
export interface Address {
  readonly host: string
  readonly port: number
}

let given = 0

/**
 * A place that no other process takes, and that this one was not given before. All of 127.0.0.0/8 is this machine (on
 * Linux), so each process has an address of its own there; the ports are below those that the kernel hands out.
 */
export const ownAddress = (): Address => ({
  host: `127.${1 + (process.pid >> 16)}.${(process.pid >> 8) & 255}.${process.pid & 255}`,
  port: 20_000 + given++
})
