/**
 * Ways in which an app may try to get out of its isolate. Each is the body of an async function with `request`, `env`,
 * `ctx` and `host`, what of the machine and of a neighbour is worth reaching. It is denied when it throws or never ends;
 * one that ends must say what `holds`.
 */
export interface Escape {
  readonly title: string
  readonly code: string
  /** The answer as JSON of one that may end; without it, ending is escaping. */
  readonly holds?: RegExp
}

/** What an app is told of the machine, for it to try. */
export interface Prey {
  /** Listens on 127.0.0.1; must never be visited. */
  readonly port: number
  readonly secretFile: string
  readonly supervisorSocket: string
  readonly appSocket: string
  /** Host name of another app, which has a file `secret.txt` and a value `secret`. */
  readonly neighbour: string
  readonly neighbourProject: string
}

export const of = (title: string, code: string, holds?: RegExp): Escape => ({
  title,
  code,
  ...(holds === undefined ? {} : { holds })
})

export const opened = (socket: string) => `${socket}; await s.opened; return "open"`
