import { createFileRoute } from "@tanstack/react-router";
import { createServerFn } from "@tanstack/react-start";
import { getRequestHost } from "@tanstack/react-start/server";

const served = createServerFn({ method: "GET" }).handler(() => ({ host: getRequestHost() }));

export const Route = createFileRoute("/")({
  validateSearch: (search: Record<string, unknown>) => ({
    name: typeof search.name === "string" ? search.name : undefined,
  }),
  loader: () => served(),
  component: Home,
});

function Home() {
  const { name = "visitor" } = Route.useSearch();
  const { host } = Route.useLoaderData();
  return (
    <main>
      <h1>Hello, {name}</h1>
      <p>Served by {host}</p>
    </main>
  );
}
