/** How a process reaches its own API, whatever address it listens on. */

/** The address of this process's API: what listens everywhere is reached on this machine's own address. */
export const ownAddress = (host: string, port: number): string => {
  const own = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
  return `http://${own.includes(":") ? `[${own}]` : own}:${port}`
}
