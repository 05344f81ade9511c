/** The least that workerd can be asked to do, to try an isolation with: it reads a configuration of its own. */
const configuration = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [ (name = "probe", network = (allow = [])) ]);
`

/** The files of the folder that every process sees read-only. */
export const hostFiles: Readonly<Record<string, string>> = { "host.capnp": configuration }
