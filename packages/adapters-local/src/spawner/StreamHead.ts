/** The first bytes of each connection from the spawner to the server: which stream of which process it is. */

/** Of every head, in bytes. */
export const headBytes = 32

/** What is written: the process's number, and the descriptor that the stream has there. */
export const headOf = (id: number, descriptor: number): string => `${id}/${descriptor}`.padEnd(headBytes)

/** What was read; null for what no spawner writes. */
export const readHead = (text: string): readonly [id: number, descriptor: number] | null => {
  const [, id, descriptor] = /^(\d+)\/(\d+) *$/.exec(text) ?? []
  return id === undefined || descriptor === undefined ? null : [Number(id), Number(descriptor)]
}
