/** How long a stop may take, from the signal on. Whatever still hangs then is left. */
import { ServerLimits } from "../ServerLimits.ts"

let delayMs = 0

/** Begins a stop so much later: the server goes on meanwhile. */
export const delayStopBy = (ms: number): void => {
  delayMs = ms
}

/** From the signal until this process leaves, in ms. */
export const stopMs = (): number => ServerLimits.stopMs + delayMs
