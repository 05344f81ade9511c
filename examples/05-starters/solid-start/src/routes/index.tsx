import { useSearchParams } from "@solidjs/router";

export default function Home() {
  const [search] = useSearchParams<{ name?: string }>();
  return (
    <main>
      <h1>Hello, {search.name ?? "visitor"}</h1>
    </main>
  );
}
