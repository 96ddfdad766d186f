#!/usr/bin/env bash
# Compares documents with what they were in a git revision and writes the reports that GitHub shows. action.yml says
# what the variables are. The exit code is that of hallmark drift.
set -euo pipefail

hallmark=${HALLMARK:-hallmark}
base=${DRIFT_BASE:?say which revision to compare with (input base)}
paths=()
while IFS= read -r line; do
	if [ -n "${line// /}" ]; then paths+=("$line"); fi
done <<<"${DRIFT_PATHS:?say which documents to compare (input paths)}"

# A shallow checkout has the newest commit only.
if ! git rev-parse --verify --quiet "$base^{commit}" >/dev/null; then
	git fetch --quiet --no-tags --depth=1 origin "$base"
fi

report=${RUNNER_TEMP:-/tmp}/drift.json
flags=(--git "$base" --level "${DRIFT_LEVEL:-wire}" --fail-on "${DRIFT_FAIL_ON:-breaking}" --upgrade "${DRIFT_UPGRADE:-host}")
if [ -n "${DRIFT_DIRECTION:-}" ]; then flags+=(--direction "$DRIFT_DIRECTION"); fi
if [ -n "${DRIFT_IGNORE:-}" ]; then flags+=(--ignore "$DRIFT_IGNORE"); fi

# Reports first: each comparison is the same, and only the last one decides. A malformed document (2) ends all.
write() {
	local code=0
	"$hallmark" drift "${flags[@]}" --format "$1" --out "$2" -- "${paths[@]}" 2>/dev/null || code=$?
	if [ "$code" -gt 1 ]; then "$hallmark" drift "${flags[@]}" -- "${paths[@]}"; fi
}
write json "$report"
if [ -n "${DRIFT_SARIF:-}" ]; then write sarif "$DRIFT_SARIF"; fi
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
	write markdown "$report.md"
	cat "$report.md" >>"$GITHUB_STEP_SUMMARY"
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
	{
		sed -n 's/^  "verdict": "\(.*\)",$/verdict=\1/p' "$report"
		echo "report=$report"
	} >>"$GITHUB_OUTPUT"
fi

if [ "${DRIFT_CHECK_BINDINGS:-false}" = true ]; then flags+=(--check-bindings); fi
exec "$hallmark" drift "${flags[@]}" --format github -- "${paths[@]}"
