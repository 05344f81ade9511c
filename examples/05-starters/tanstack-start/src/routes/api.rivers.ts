import { createFileRoute } from "@tanstack/react-router";

export const Route = createFileRoute("/api/rivers")({
  server: {
    handlers: {
      GET: () => Response.json(["Elbe", "Havel", "Spree"]),
    },
  },
});
