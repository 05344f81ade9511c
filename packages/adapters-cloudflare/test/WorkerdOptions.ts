import { machine } from "./builder/Machine.ts"

/** What tests inside workerd are bound to: an object with SQLite, a bucket, a loader of Workers. */
export const workerdOptions = {
  // Or the simulator asks the network what a request's `cf` would be.
  cf: false,
  compatibilityDate: "2026-07-01",
  r2Buckets: ["BUCKET"],
  workerLoaders: { LOADER: {} },
  // What lies on this machine, and what its own builder makes of the examples.
  serviceBindings: { MACHINE: machine },
  durableObjects: {
    BUILDER: { className: "Builder", useSQLite: true },
    STORE: { className: "Store", useSQLite: true }
  }
}
