/** Shows the numbers of added and removed lines. */
export function Counts({ additions, deletions }: { additions: number; deletions: number }) {
  return (
    <span className="review-counts medium number">
      <span className="review-plus">+{additions}</span> <span className="review-minus">−{deletions}</span>
    </span>
  );
}
