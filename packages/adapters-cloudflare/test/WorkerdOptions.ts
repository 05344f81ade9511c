import { machine } from "./builder/Machine.ts"

/** What tests inside workerd are bound to: objects with SQLite, a bucket, a loader of Workers, a queue and that of its dead. */
export const workerdOptions = {
  // Or the simulator asks the network what a request's `cf` would be.
  cf: false,
  compatibilityDate: "2026-07-01",
  r2Buckets: ["BUCKET", "PACKAGES"],
  queueProducers: { HINTS: "hints" },
  queueConsumers: {
    hints: { maxBatchTimeout: 0, maxRetries: 2, retryDelay: 0, deadLetterQueue: "dead-hints" },
    "dead-hints": { maxBatchTimeout: 0 }
  },
  workerLoaders: { LOADER: {} },
  // What lies on this machine, and what its own builder makes of the examples.
  serviceBindings: { MACHINE: machine },
  durableObjects: {
    HINTED: { className: "Hinted", useSQLite: true },
    LAYERS: { className: "Layers", useSQLite: true },
    BUILDER: { className: "Builder", useSQLite: true },
    STORE: { className: "Store", useSQLite: true },
    DATA: { className: "DataStore", useSQLite: true }
  }
}
