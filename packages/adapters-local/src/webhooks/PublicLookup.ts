/**
 * A look-up for connections that may go to public addresses only: it fails unless every address of the name is one. The
 * connection goes to an address that was looked at here, so a name server that answers differently the next time gains
 * nothing. Node does not ask it for a host that is an address already: judge that before (`refusedHost`).
 */
import { lookup as lookUp } from "node:dns"
import type { LookupFunction } from "node:net"
import { isPublicAddress, notPublic } from "@pawl/core/primitives/OutboundAddress"

/** The code of the error of a name that leads to an address that is not public. */
export const notPublicCode = "ENOTPUBLIC"

const refusal = () => Object.assign(new Error(notPublic), { code: notPublicCode })

/** Asks the machine's own resolver; `resolve` takes its place in tests. */
export const publicLookup =
  (
    resolve: (
      host: string,
      done: (error: NodeJS.ErrnoException | null, found: ReadonlyArray<{ address: string; family: number }>) => void
    ) => void = (host, done) => lookUp(host, { all: true, verbatim: true }, done)
  ): LookupFunction =>
  (host, options, callback) =>
    resolve(host, (error, found) => {
      const [first] = found ?? []
      if (error !== null) callback(error, "", 0)
      else if (first === undefined || !found.every(({ address }) => isPublicAddress(address)))
        callback(refusal(), "", 0)
      else if (options.all === true) callback(null, [...found])
      else callback(null, first.address, first.family)
    })
