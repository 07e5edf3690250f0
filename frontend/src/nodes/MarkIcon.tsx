// The site's small signs of states and actions, from its own file of symbols.
const FILE = `${import.meta.env.BASE_URL.replace(/editor\/$/, "")}flowsite/icons.svg`;

export function MarkIcon({ mark, className = "mark-icon" }: { mark: string; className?: string }) {
  return (
    <svg className={className} width="14" height="14" aria-hidden="true" focusable="false">
      <use href={`${FILE}#${mark}`} />
    </svg>
  );
}
