export function ResultsPage() {
  return <h1>Results</h1>;
}
