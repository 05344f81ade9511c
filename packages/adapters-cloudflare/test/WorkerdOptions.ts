/** What tests inside workerd are bound to: an object with SQLite, a bucket, a loader of Workers. */
export const workerdOptions = {
  // Or the simulator asks the network what a request's `cf` would be.
  cf: false,
  compatibilityDate: "2026-07-01",
  r2Buckets: ["BUCKET"],
  workerLoaders: { LOADER: {} },
  durableObjects: { STORE: { className: "Store", useSQLite: true } }
}
