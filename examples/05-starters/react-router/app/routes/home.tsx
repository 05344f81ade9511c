import type { Route } from "./+types/home";

export function meta({}: Route.MetaArgs) {
  return [{ title: "React Router" }, { name: "description", content: "Rendered on the server" }];
}

export function loader({ request }: Route.LoaderArgs) {
  return { name: new URL(request.url).searchParams.get("name") ?? "visitor" };
}

export default function Home({ loaderData }: Route.ComponentProps) {
  return <h1>Hello, {loaderData.name}</h1>;
}
